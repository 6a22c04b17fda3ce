package change

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func plain(pairs ...string) settings {
	s := settings{map[string]string{}, map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		s.plain[pairs[i]] = pairs[i+1]
	}
	return s
}

func (s settings) and(path, hash string) settings {
	s.secret[path] = hash
	return s
}

func TestTell(t *testing.T) {
	t.Parallel()
	lists := map[string][]string{"members": {"etcd-1", "etcd-2", "etcd-3"}}
	long := strings.Repeat("0123456789", 10)
	for name, c := range map[string]struct {
		before, now settings
		want        []string
	}{
		"nothing":                         {plain("a", "1").and("b", "x"), plain("a", "1").and("b", "x"), nil},
		"another value":                   {plain("etcd.heartbeatInterval", "100"), plain("etcd.heartbeatInterval", "150"), []string{"etcd.heartbeatInterval: 100 -> 150"}},
		"one more, and one less":          {plain("a.x", "1", "a.y", "1"), plain("a.x", "1", "a.z", "2"), []string{"a.y: 1 -> not set", "a.z: not set -> 2"}},
		"an object that is gone":          {plain("a", "1", "backup.x", "1", "backup.y", "2").and("backup.key", "h"), plain("a", "1"), []string{"backup: removed"}},
		"an empty object that is filled":  {plain("a", "{}"), plain("a.x", "1"), []string{"a.x: not set -> 1"}},
		"one that is emptied":             {plain("a.x", "1"), plain("a", "{}"), []string{"a.x: 1 -> not set"}},
		"an empty list that is filled":    {plain("a", "[]"), plain("a[0].x", "1"), []string{"a[0].x: not set -> 1"}},
		"an empty object that is gone":    {plain("a", "{}", "b", "1"), plain("b", "1"), []string{"a: {} -> not set"}},
		"a secret":                        {plain().and("p", "x"), plain().and("p", "y"), []string{"p: [secret] changed"}},
		"a secret more":                   {plain("a", "1"), plain("a", "1").and("p", "y"), []string{"p: [secret] set"}},
		"a secret less":                   {plain("a.b", "1").and("a.p", "y"), plain("a.b", "1"), []string{"a.p: [secret] removed"}},
		"one that becomes secret":         {plain("p", "hunter2"), plain().and("p", check.Hash("hunter3")), []string{"p: [secret] changed, and is a secret now"}},
		"one that was secret":             {plain().and("p", check.Hash("hunter3")), plain("p", "hunter2"), []string{"p: [secret] changed, and is no secret any more"}},
		"one that is called secret":       {plain("p", "hunter2"), plain().and("p", check.Hash("hunter2")), []string{"p: the same value, a secret now"}},
		"one that is not any more":        {plain().and("p", check.Hash("hunter2")), plain("p", "hunter2"), []string{"p: the same value, no secret any more"}},
		"an empty one":                    {plain("p", `""`), plain().and("p", check.Hash("")), []string{"p: the same value, a secret now"}},
		"a long one":                      {plain("p", "PEM ("+check.Hash("x")[:8]+")"), plain().and("p", check.Hash("x")), []string{"p: the same value, a secret now"}},
		"a list":                          {plain("p", "[a, b]"), plain().and("p", check.Hash("x")), []string{"p: [secret] may have changed, and is a secret now"}},
		"one that is not known yet":       {plain("a", "1"), plain("a", ""), []string{"a: 1 -> not known yet"}},
		"one that was not set":            {plain("b", "1"), plain("a", "", "b", "1"), []string{"a: not known yet"}},
		"a secret that is not known yet":  {plain().and("p", "y"), plain().and("p", ""), []string{"p: [secret] -> not known yet"}},
		"an object that is not known yet": {plain("a.x", "1", "a.y[0].z", "2"), plain("a", "").and("a", ""), []string{"a: not known yet"}},
		"members alike": {
			plain("members[etcd-1].libvirt.memory", "1", "members[etcd-2].libvirt.memory", "1", "members[etcd-3].libvirt.memory", "1"),
			plain("members[etcd-1].libvirt.memory", "2", "members[etcd-2].libvirt.memory", "2", "members[etcd-3].libvirt.memory", "2"),
			[]string{"members[*].libvirt.memory: 1 -> 2"},
		},
		"members that are not": {
			plain("members[etcd-1].libvirt.memory", "1", "members[etcd-2].libvirt.memory", "1", "members[etcd-3].libvirt.memory", "1"),
			plain("members[etcd-1].libvirt.memory", "2", "members[etcd-2].libvirt.memory", "2", "members[etcd-3].libvirt.memory", "3"),
			[]string{"members[etcd-1, etcd-2].libvirt.memory: 1 -> 2", "members[etcd-3].libvirt.memory: 1 -> 3"},
		},
		"members that come and go": {
			plain("members[etcd-1].ip", "1", "members[etcd-9].ip", "9", "members[etcd-9].memory", "9"),
			plain("members[etcd-1].ip", "1", "members[etcd-2].ip", "2", "members[etcd-2].memory", "2", "members[etcd-3].ip", "3"),
			[]string{"members[etcd-2, etcd-3]: added", "members[etcd-9]: removed"},
		},
		"sizes in bytes": {
			plain("libvirt.dataVolume.size", "12884901888", "libvirt.volume.size", "1", "openstack.dataVolume.size", "4", "etcd.spaceQuota", "1073741824"),
			plain("libvirt.dataVolume.size", "21474836480", "openstack.dataVolume.size", "5", "etcd.spaceQuota", "1610612736"),
			[]string{
				"etcd.spaceQuota: 1073741824 (1 GiB) -> 1610612736 (1.5 GiB)", "libvirt.dataVolume.size: 12884901888 (12 GiB) -> 21474836480 (20 GiB)",
				"libvirt.volume.size: 1 -> not set", "openstack.dataVolume.size: 4 -> 5",
			},
		},
		"certificates": {
			plain("a", "[certificate (CN=ca until 2126-11-04; 574f0a1b)]"),
			plain("a", `["certificate (CN=main,O=quorum until 2126-11-04; 574f0a1b)", certificate (CN=ca until 2126-11-04; 574f0a1b)]`),
			[]string{"a: [certificate (CN=ca until 2126-11-04; 574f0a1b)] -> [certificate (CN=main,O=quorum until 2126-11-04; 574f0a1b), certificate (CN=ca until 2126-11-04; 574f0a1b)]"},
		},
		"long values are cut where they differ": {
			plain("a", long+"x"+long), plain("a", long+"y"+long),
			[]string{"a: ..." + long[85:] + "x" + (long)[:38] + "... -> ..." + long[85:] + "y" + long[:38] + "..."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, tell(c.before, c.now, lists))
		})
	}
}

func TestMany(t *testing.T) {
	t.Parallel()
	var lines, names []string
	for i := range 20 {
		lines, names = append(lines, fmt.Sprint(i)), append(names, fmt.Sprintf("m-%d", i))
	}
	assert.Equal(t, lines[:16], atMost(15, lines[:16]), "one more is as short as saying so")
	assert.Equal(t, append(lines[:15:15], "and 5 more"), atMost(15, lines))
	assert.Equal(t, "m-0, m-1", few(names[:2]))
	assert.Equal(t, "m-0, m-1, m-2, ... m-19 (20)", few(names))
}
