package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestListGathersInOrderUnderAPath(t *testing.T) {
	t.Parallel()
	var inner, all check.List
	inner.Add("ip", "is bad").Needing("network").Shape()
	inner.Add("[2].ip", "is worse")
	inner.Add("", "is empty")
	all.Required("name", "")
	all.Under("a", inner)
	var got []string
	for _, p := range all {
		got = append(got, p.String())
	}
	assert.Equal(t, []string{"name: is required", "a.ip: is bad", "a[2].ip: is worse", "a: is empty"}, got)
	assert.Equal(t, []string{"a.network"}, all[1].Needs)
	assert.True(t, all[1].Shallow)
	assert.Equal(t, []string{"network"}, inner[0].Needs, "Under leaves what it is given as it is")
}

func TestRequiredTakesNilZeroAndEmpty(t *testing.T) {
	t.Parallel()
	empty := ""
	for _, value := range []any{nil, "", 0, []string{}, map[string]string{}, (*string)(nil), &empty} {
		var l check.List
		l.Required("x", value)
		assert.Len(t, l, 1, "%#v", value)
	}
	for _, value := range []any{"a", 1, []string{""}, struct{ A int }{1}} {
		var l check.List
		l.Required("x", value)
		assert.Empty(t, l, "%#v", value)
	}
}

func TestOneOfAndUniqueSayWhatIsAllowed(t *testing.T) {
	t.Parallel()
	type mode string
	var l check.List
	l.OneOf("mode", mode("hourly"), mode("periodic"), mode("revision"))
	l.OneOf("mode", mode("periodic"), mode("periodic"), mode("revision"))
	l.Distinct(check.Each("members", 5, "name"), []string{"a", "b", "", "", "a"})
	assert.Equal(t, []check.Problem{
		{Path: "mode", Reason: `must be periodic or revision, not "hourly"`},
		{
			Path: "members[4].name", Reason: `must differ from members[0].name: both are "a"`,
			Needs: []string{"members[0].name"},
		},
	}, []check.Problem(l))
}

func TestWithin(t *testing.T) {
	t.Parallel()
	assert.True(t, check.Within("a.b", "a"))
	assert.True(t, check.Within("a[0]", "a"))
	assert.True(t, check.Within("a", ""))
	assert.False(t, check.Within("ab", "a"))
	assert.False(t, check.Within("a", "a.b"))
}

func TestRules(t *testing.T) {
	t.Parallel()
	rules := map[string]struct {
		rule      func(string) string
		good, bad []string
	}{
		"IP":         {check.IP, []string{"10.0.0.1", "fd00::1"}, []string{"", "10.0.0", "010.0.0.1", "fe80::1%eth0", "10.0.0.1/24"}},
		"MAC":        {check.MAC, []string{"52:54:00:12:34:56", "AA:bb:cc:dd:ee:ff"}, []string{"", "52:54:00:12:34", "53:54:00:12:34:56", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "52-54-00-12-34-56", "52:54:00:12:34:56\n"}},
		"Network":    {check.Network, []string{"10.0.0.0/24", "fd00::/64"}, []string{"10.0.0.1/24", "10.0.0.0", "10.0.0.0/33"}},
		"HostName":   {check.HostName, []string{"a", "etcd-1", strings.Repeat("a", 63)}, []string{"", "-a", "a-", "a.b", "A", "a_b", strings.Repeat("a", 64), "a\n"}},
		"DomainName": {check.DomainName, []string{"a", "a.b.", "_etcd._tcp.example.com"}, []string{"", ".", "a..b", "a b", strings.Repeat("a", 64)}},
		"UserName":   {check.UserName, []string{"ubuntu", "_x", "a-b"}, []string{"", "1a", "A", "a b", "a:b", strings.Repeat("a", 33)}},
		"URL":        {check.URL, []string{"http://a", "https://a:8080/b?c"}, []string{"", "a", "/a", "ftp://a", "https://", "http://[::1"}},
		"Endpoint":   {check.Endpoint, []string{"10.0.0.1:2379", "[fd00::1]:2379"}, []string{"", "10.0.0.1", "a:1", "10.0.0.1:0", "10.0.0.1:65536", "fd00::1:2379"}},
		"KeyPrefix":  {check.KeyPrefix, []string{"/zones", "/a/b/"}, []string{"", "/", "zones/", "/a//b", "/a b", "/a\n"}},
		"SHA256":     {check.SHA256, []string{strings.Repeat("aF", 32)}, []string{"", strings.Repeat("a", 63), strings.Repeat("g", 64)}},
		"Path":       {check.AbsolutePath, []string{"/", "/a/b"}, []string{"", "a", "/a/../b", "/a/", "/a\nb"}},
		"Duration":   {check.Duration, []string{"3s", "1h30m"}, []string{"", "3", "-3s", "0s"}},
	}
	for name, r := range rules {
		for _, s := range r.good {
			assert.Empty(t, r.rule(s), "%s %q", name, s)
		}
		for _, s := range r.bad {
			assert.NotEmpty(t, r.rule(s), "%s %q", name, s)
			assert.NotContains(t, r.rule(s), "\n", "%s %q", name, s)
		}
	}
	assert.Equal(t, `must be an IP address, not "10.0.0"`, check.IP("10.0.0"))
	assert.NotContains(t, check.URL("ftp://u:hunter2@a"), "hunter2")
}

func TestNumberRules(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "must be from 1 to 32 with an IPv4 address, 10.0.0.1, not 33", check.PrefixLength("10.0.0.1", 33))
	assert.Equal(t, "must be from 1 to 32, not 0", check.PrefixLength("10.0.0.1", 0))
	assert.Empty(t, check.PrefixLength("fd00::1", 64))
	assert.Equal(t, "must be from 1 to 65535, not 0", check.Port(0))
	assert.Equal(t, "must be 1 or more, not 0", check.Positive(0))
	assert.Empty(t, check.InNetwork("10.0.0.1", "10.0.0.9", 24))
	assert.Equal(t, `must be an address in 10.0.0.0/24, not "10.0.1.1"`, check.InNetwork("10.0.1.1", "10.0.0.9", 24))
	assert.Empty(t, check.InNetwork("fe80::1", "fd00::9", 64), "as many who let machines have it")
	assert.NotEmpty(t, check.InNetwork("fe80::1", "10.0.0.9", 24))
	assert.NotEmpty(t, check.InNetwork("169.254.0.1", "10.0.0.9", 24))
	assert.Empty(t, check.InNetwork("x", "10.0.0.9", 24), "for IP to report")
}

func TestQuoteKeepsToOneShortLine(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `"a\nb"`, check.Quote("a\nb"))
	assert.Equal(t, `"`+strings.Repeat("é", 60)+`…"`, check.Quote(strings.Repeat("é", 100)))
}
