package haproxy

import (
	_ "embed"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

//go:embed haproxy.cfg
var confText string

var confTemplate = template.Must(template.New("haproxy.cfg").Funcs(template.FuncMap{"address": ports.At}).Parse(confText))

// conf is what the configuration file is filled with.
type conf struct {
	Connect, Check, Idle string
	PatroniPort          int
	CAFile, ClientFile   string
	Domain, Family       string
	Count                int
	Nameservers          []string // with their port
	Servers              []string
	Binds                []string // formats for a port
	Routes               []route
	Metrics              string
	Pooled               bool // whether there are routes to pools
	MaxConn              int
	Socket               string // for who asks whether it answers, if anybody does
	Hash                 string // of all that a reload takes up
}

// route is a port, and the nodes whose answer to a check lets them have its
// connections.
type route struct {
	Name    string
	Port    int
	Check   string
	Every   string // a check costs the node a TLS handshake in Python
	Target  int
	Pool    bool // it is a pool that listens there, and has to answer too
	Balance string
	OnlyOne bool // node may have them
}

var routes = []route{
	{"postgres_primary", ports.Postgres, "/primary", "1s", ports.Postgres, false, "roundrobin", true},
	{"postgres_replica", ports.PostgresReplica, "/replica", "2s", ports.Postgres, false, "leastconn", false},
	{"patroni", ports.Patroni, "/primary", "5s", ports.Patroni, false, "roundrobin", true},
}

// pools are the routes to pools that listen on a port of the nodes.
func pools(port int) []route {
	return []route{
		{"pooler_primary", ports.Pooler, "/primary", "1s", port, true, "roundrobin", true},
		{"pooler_replica", ports.PoolerReplica, "/replica", "2s", port, true, "leastconn", false},
	}
}

const (
	maxConn       = 4000   // far more than PostgreSQL takes
	maxPoolerConn = 30_000 // of the 65536 file descriptors each takes two
)

// conf gives the configuration file, and the hash that it answers /health with.
func (c Config) conf() (text, hash string, err error) {
	t := c.Haproxy.Timeouts.withDefaults()
	f := conf{
		Connect: *t.Connect, Check: *t.Check, Idle: *t.Idle,
		PatroniPort: ports.Patroni, CAFile: caFile,
		Domain: strings.TrimSuffix(ptr.Value(c.Haproxy.Domain), "."), Family: family(c.IPs[0]),
		Count:   ptr.Value(c.Haproxy.PostgresNodesMaxCount),
		Servers: c.Haproxy.Servers,
		Binds:   []string{":%d"}, Routes: routes,
		Metrics: c.metrics(), MaxConn: maxConn,
	}
	if c.PoolerPort != 0 {
		f.Pooled, f.Routes, f.MaxConn = true, slices.Concat(routes, pools(c.PoolerPort)), maxPoolerConn
	}
	if c.Asked {
		f.Socket = ports.At(loopbacks[0], ports.HaproxySocket)
	}
	for _, ip := range c.Haproxy.NameserverIPs {
		f.Nameservers = append(f.Nameservers, ports.At(ip, ports.DNS))
	}
	for _, ip := range c.IPs {
		if family(ip) == "ipv6" {
			f.Binds = []string{":%d", ":::%d v6only"} // a kernel without IPv6 would refuse it
		}
	}
	parts := []string{c.CACert}
	if c.ClientCert != "" {
		f.ClientFile, parts = clientFile, append(parts, c.ClientCert, c.ClientKey)
	}
	if text, err = f.fill(); err != nil {
		return "", "", err
	}
	f.Hash = guest.Hash(append([]string{text}, parts...)...)
	text, err = f.fill()
	return text, f.Hash, err
}

func (f conf) fill() (string, error) {
	var b strings.Builder
	if err := confTemplate.Execute(&b, f); err != nil {
		return "", fmt.Errorf("write %s: %w", confFile, err)
	}
	return b.String(), nil
}

func family(ip string) string {
	if a, err := netip.ParseAddr(ip); err == nil && a.Is6() && !a.Is4In6() {
		return "ipv6"
	}
	return "ipv4"
}
