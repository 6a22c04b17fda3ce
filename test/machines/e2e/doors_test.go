//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// identity is what somebody has who comes to a door.
type identity struct {
	cert, key         string // files
	etcd              string // user:password
	postgres          string // a password
	replicator, owner string // passwords
	member            string // of etcd, whose machine it has
}

const (
	visitorPassword = "a visitor's own"
	etcdMember      = "https://10.77.0.11"
)

// doors are what identities try. Each fails if it is not let in.
var doors = map[string]func(t *testing.T, p platform, i identity) error{
	"etcd: all keys":       func(_ *testing.T, p platform, i identity) error { return i.keys(p, "") },
	"etcd: zones":          func(_ *testing.T, p platform, i identity) error { return i.keys(p, "/zones/") },
	"etcd: Patroni's keys": func(_ *testing.T, p platform, i identity) error { return i.keys(p, "/service/platform/") },
	"etcd: as a peer": func(t *testing.T, _ platform, i identity) error {
		const members = etcdMember + ":2380/members"
		if i.member == "" {
			return i.http(t, members)
		}
		_, err := hardware.do("exec", i.member, "curl", "--silent", "--show-error", "--fail", "--http1.1", "--insecure", "--max-time", "10",
			"--cert", "/etc/etcd/tls/server.crt", "--key", "/etc/etcd/tls/server.key", members)
		return err
	},
	"Patroni: health": func(t *testing.T, _ platform, _ identity) error { // a certificate of another authority would be refused
		return identity{}.http(t, "https://"+nodeAddresses[0]+":4443/health")
	},
	"Patroni: orders": func(t *testing.T, _ platform, i identity) error {
		return i.http(t, "https://"+nodeAddresses[0]+":4443/config", "--request", "PATCH", "--data", `{"loop_wait": 10}`)
	},
	"`postgres`": func(_ *testing.T, p platform, i identity) error {
		return i.psql(p, i.postgres, "user=postgres dbname=postgres", "SELECT 1")
	},
	"replication": func(_ *testing.T, p platform, i identity) error {
		return i.psql(p, i.replicator, "user=replicator replication=1", "IDENTIFY_SYSTEM")
	},
	"metrics": func(t *testing.T, _ platform, _ identity) error {
		return identity{}.http(t, "http://"+nodeAddresses[0]+":9100/metrics")
	},
	"a database": func(_ *testing.T, p platform, i identity) error {
		return i.psql(p, i.owner, "user=visitor dbname=postgres", "SELECT 1")
	},
}

func (i identity) keys(p platform, prefix string) error {
	options := []string{}
	if i.etcd != "" {
		options = append(options, "--user="+i.etcd)
	}
	if i.cert != "" {
		options = append(options, "--cert="+i.cert, "--key="+i.key)
	}
	_, err := newClient(p.endpoints, p.etcdCA, options...).try("get", "--prefix", "--keys-only", "--limit=1", prefix)
	return err
}

func (i identity) http(t *testing.T, url string, options ...string) error {
	t.Helper()
	if i.cert != "" {
		options = append(options, "--cert", i.cert, "--key", i.key)
	}
	_, err := sandbox(append([]string{"shell", "curl", "--silent", "--show-error", "--fail", "--http1.1", "--insecure", "--max-time", "10", "--output", "/dev/null", url}, options...)...)
	return err
}

// psql connects to a node itself: there is no load balancer in between whose address would count.
func (i identity) psql(p platform, password, as, statement string) error {
	address := as + " host=" + nodeAddresses[0] + " connect_timeout=5 sslmode=verify-full sslrootcert=" + p.database.ca
	if i.cert != "" {
		address += " sslcert=" + i.cert + " sslkey=" + i.key
	}
	_, err := sandbox("shell", "timeout", "10", "env", "PGPASSWORD="+password, "psql", "--no-psqlrc", "--no-password", "--dbname="+address, "--command="+statement)
	return err
}

// testDoors tries each identity of the table in docs/security.md at each of its doors.
func testDoors(t *testing.T, p platform) {
	p.database.must(t, "CREATE ROLE visitor LOGIN PASSWORD '"+strings.ReplaceAll(visitorPassword, "'", "''")+"'")
	conf := patroniConf(t)
	login := conf.Postgresql.Authentication
	file := func(machine, path string) string {
		return secretFile(t, filepath.Base(path), on(t, machine, "cat", path)+"\n")
	}
	node := identity{cert: file(nodes[0], "/etc/patroni/tls/client.crt"), key: file(nodes[0], "/etc/patroni/tls/client.key")}
	brokenInto := node
	brokenInto.etcd, brokenInto.postgres, brokenInto.replicator = conf.Etcd3.Username+":"+conf.Etcd3.Password, login["superuser"].Password, login["replication"].Password
	member := identity{cert: file(members[1], "/etc/etcd/tls/server.crt"), key: file(members[1], "/etc/etcd/tls/server.key")}
	identities := map[string]identity{
		"anybody in the network":                          {},
		"etcd's root, by password":                        {etcd: "root:" + p.etcd.Output("rootPassword")},
		"a user of the zones' prefix; a DNS server":       {etcd: "coredns:" + corednsPassword},
		"Patroni's user of etcd":                          {etcd: brokenInto.etcd},
		"an etcd member's certificate, elsewhere":         member,
		"an etcd member":                                  {cert: member.cert, key: member.key, member: members[1]},
		"a client certificate of PostgreSQL's authority":  node,
		"the password of `postgres`":                      {postgres: brokenInto.postgres},
		"the password of `replicator`":                    {replicator: brokenInto.replicator},
		"a database node":                                 brokenInto,
		"an application's user":                           {owner: visitorPassword},
		"a load balancer, which has no secret of its own": {},
	}
	names, rows := table(t, "| who |")
	assert.Len(t, names, len(doors))
	assert.Len(t, rows, len(identities))
	for _, row := range rows {
		who, known := identities[row[0]]
		require.True(t, known, "there is no identity %q", row[0])
		for j, name := range names {
			require.Contains(t, doors, name)
			if err := doors[name](t, p, who); row[j+1] == "yes" {
				assert.NoError(t, err, "%s at %s", row[0], name)
			} else {
				assert.Equal(t, "no", row[j+1])
				assert.Error(t, err, "%s at %s", row[0], name)
			}
		}
	}
}

// table is one of docs/security.md: the titles of its columns but the first, and its rows.
func table(t *testing.T, begin string) (titles []string, rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(engine.Root(), "docs", "security.md"))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "\n"+begin)
	require.True(t, found, begin)
	whole, _, _ := strings.Cut(begin+after, "\n\n")
	for n, line := range strings.Split(whole, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		switch n {
		case 0:
			titles = cells[1:]
		case 1:
		default:
			rows = append(rows, cells)
		}
	}
	return titles, rows
}
