package zone

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

func pem(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "pki", name))
	require.NoError(t, err)
	return string(text)
}

// zone is one of example.org, with a name server and an address.
func zone(t testing.TB, change ...func(*ZoneArgs)) ZoneArgs {
	t.Helper()
	user, password, prefix := "dns", "secret word", "/zones/"
	a := ZoneArgs{
		Etcd:        host.EtcdConnection{Endpoints: []string{"10.77.0.11:2379"}, CACert: pem(t, "ca.crt"), Username: &user, Password: &password},
		KeyPrefix:   &prefix,
		Domain:      "example.org",
		Nameservers: []string{"ns1"},
		Records:     &Records{A: []AddressRecord{{Name: "ns1", Addresses: []string{"192.0.2.1"}}}},
	}
	for _, f := range change {
		f(&a)
	}
	return a
}

func file(text string) func(*ZoneArgs) {
	return func(a *ZoneArgs) { a.ZoneFile, a.Nameservers, a.Records = &text, nil, nil }
}

func number(n int) *int { return &n }

func text(s string) *string { return &s }

const soa = "@ 300 IN SOA ns1 hostmaster 7 7200 3600 1209600 60\n"

func TestText(t *testing.T) {
	t.Parallel()
	a := zone(t, func(a *ZoneArgs) {
		a.Nameservers = []string{"ns1", "ns2.example.net."}
		a.Hostmaster, a.TTL, a.SOA = text("dns.admin@example.net"), number(600), &SOA{Refresh: number(1), Retry: number(2), Expire: number(3), Minimum: number(4)}
		a.Records = &Records{
			A:     []AddressRecord{{Name: "ns1", Addresses: []string{"192.0.2.2", "192.0.2.1"}}, {Name: "@", Addresses: []string{"192.0.2.3"}, TTL: number(0)}},
			AAAA:  []AddressRecord{{Name: "*.Any", Addresses: []string{"2001:DB8::1"}}},
			CNAME: []TargetRecord{{Name: "www", Target: "@"}, {Name: "far.example.org.", Target: "Example.NET."}},
			MX:    []MXRecord{{Name: "@", Preference: 10, Exchange: "ns1"}, {Name: "none", Exchange: "."}},
			TXT:   []TXTRecord{{Name: "@", Text: `v=spf1 "a;b" \ $INCLUDE` + "\né"}, {Name: "long", Text: strings.Repeat("x", 256)}, {Name: "empty"}},
			SRV:   []SRVRecord{{Name: "_etcd-server._tcp", Weight: 1, Port: 2380, Target: "ns1"}},
			NS:    []TargetRecord{{Name: "sub", Target: "ns1.sub"}},
			PTR:   []TargetRecord{{Name: "1", Target: "host.example.net."}},
			CAA:   []CAARecord{{Name: "@", Tag: "issue", Value: "ca.example.net; account=1"}},
		}
	})
	require.Empty(t, a.Validate())
	c, problems := a.content()
	require.Empty(t, problems)
	require.Equal(t, strings.ReplaceAll(`example.org.	600	IN	SOA	ns1.example.org. dns\.admin.example.net. 5 1 2 3 4
example.org.	0	IN	A	192.0.2.3
example.org.	600	IN	NS	ns1.example.org.
example.org.	600	IN	NS	ns2.example.net.
example.org.	600	IN	MX	10 ns1.example.org.
example.org.	600	IN	TXT	"v=spf1 \"a;b\" \\ \036INCLUDE\010\195\169"
example.org.	600	IN	CAA	0 issue "ca.example.net; account=1"
1.example.org.	600	IN	PTR	host.example.net.
_etcd-server._tcp.example.org.	600	IN	SRV	0 1 2380 ns1.example.org.
*.any.example.org.	600	IN	AAAA	2001:db8::1
empty.example.org.	600	IN	TXT	""
far.example.org.	600	IN	CNAME	example.net.
long.example.org.	600	IN	TXT	"(255)" "x"
none.example.org.	600	IN	MX	0 .
ns1.example.org.	600	IN	A	192.0.2.1
ns1.example.org.	600	IN	A	192.0.2.2
sub.example.org.	600	IN	NS	ns1.sub.example.org.
www.example.org.	600	IN	CNAME	example.org.
`, "(255)", strings.Repeat("x", 255)), c.text(5))

	slices.Reverse(a.Records.A)
	slices.Reverse(a.Records.TXT)
	again, _ := a.content()
	require.Equal(t, c.text(5), again.text(5), "in any order it is the same zone")
	require.True(t, again.same(kept(c.text(9), "example.org")), "it is the same zone when it is read again")
}

func TestFile(t *testing.T) {
	t.Parallel()
	c, problems := zone(t, file("$TTL 1h\n"+soa+"$GENERATE 1-2 node-$ A 192.0.2.$\nWWW CNAME @ ; a comment\n$ORIGIN sub.example.org.\nx TXT \"$INCLUDE\"\n")).content()
	require.Empty(t, problems)
	require.Equal(t, `example.org.	300	IN	SOA	ns1.example.org. hostmaster.example.org. 8 7200 3600 1209600 60
node-1.example.org.	3600	IN	A	192.0.2.1
node-2.example.org.	3600	IN	A	192.0.2.2
x.sub.example.org.	3600	IN	TXT	"\036INCLUDE"
www.example.org.	3600	IN	CNAME	example.org.
`, c.text(8))
}

func TestNext(t *testing.T) {
	t.Parallel()
	const now, most = 1_800_000_000, 1<<32 - 1
	for _, c := range []struct{ last, own, want uint32 }{
		{0, 0, now},
		{7, 0, now},
		{now, 0, now + 1},
		{2_026_010_100, 0, 2_026_010_101}, // a date, which is ahead of the time
		{0, 2_026_010_100, 2_026_010_100},
		{2_026_010_100, 2_026_010_105, 2_026_010_105},
		{2_026_010_105, 2_026_010_100, 2_026_010_106},
		{0, 7, now},
		{most, 0, now}, // round the top
		{3_000_000_000, 0, 3_000_000_001},
		{3_000_000_000, most, most},
		{now + 1<<31 - 1, 0, now + 1<<31}, // half-way round
		{0, most, now},                    // by RFC 1982 that is behind
	} {
		require.Equal(t, c.want, next(c.last, c.own, time.Unix(now, 0)), fmt.Sprint(c))
	}
	require.Equal(t, uint32(1), next(most, 0, time.Unix(4_000_000_000, 0)), "never 0")
}
