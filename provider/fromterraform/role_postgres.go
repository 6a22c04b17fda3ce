package fromterraform

import (
	"net"
	"regexp"
	"strings"
)

// node is a node of PostgreSQL: its machine, and what Patroni's configuration says.
type node struct {
	*Machine
	conf     section
	confFile string
	name, ip string
	ca       string // certificates of PostgreSQL's authority
	etcdCA   string // and of etcd's
	server   string
}

// asNode is nil for a machine without Patroni.
func (m *Machine) asNode() *node {
	path, text := m.file("/etc/patroni/conf.yml", "/opt/patroni.yml")
	if path == "" {
		return nil
	}
	conf, err := parse(text)
	n := &node{Machine: m, conf: conf, confFile: m.at(path)}
	if err != nil {
		m.problems = append(m.problems, n.confFile+": "+err.Error())
	}
	n.name = conf.in("name").text()
	n.ip, _, _ = net.SplitHostPort(conf.in("postgresql", "connect_address").text())
	_, n.ca = m.file("/etc/postgres/tls/ca.crt", "/opt/ca.pem")
	_, n.etcdCA = m.file("/etc/patroni/tls/etcd-ca.crt", "/opt/etcd/ca.pem")
	_, n.server = m.file("/etc/postgres/tls/server.crt", "/opt/pg.pem")
	return n
}

// hosts are the members of etcd that Patroni asks.
func (n *node) hosts() []string {
	hosts := n.conf.in("etcd3", "hosts")
	all := hosts.texts()
	if text := hosts.text(); text != "" {
		all = strings.Split(text, ",")
	}
	return endpoints(all)
}

// endpoints are without schemes and blanks.
func endpoints(all []string) (plain []string) {
	for _, each := range all {
		each = strings.Trim(strings.TrimSpace(each), `"'`)
		each = strings.TrimPrefix(strings.TrimPrefix(each, "https://"), "http://")
		if each != "" {
			plain = append(plain, each)
		}
	}
	return plain
}

var majorVersion = regexp.MustCompile(`/postgresql/([0-9]{1,3})(/|$)`)

// version is PostgreSQL's, as the modules wrote it into paths.
func (n *node) version() string {
	for _, path := range []string{"bin_dir", "data_dir"} {
		if m := majorVersion.FindStringSubmatch(n.conf.in("postgresql", path).text()); m != nil {
			return m[1]
		}
	}
	return ""
}

// balancer is a load balancer: its machine, and what HAProxy's configuration says.
type balancer struct {
	*Machine
	confFile    string
	ca          string
	domain      string
	servers     []string // or addresses
	slots       string
	nameservers []string
	timeouts    map[string]string
	registry    bool
}

// asBalancer is nil for a machine without HAProxy.
func (m *Machine) asBalancer() *balancer {
	path, text := m.file("/opt/haproxy/haproxy.cfg")
	if path == "" {
		return nil
	}
	b := &balancer{Machine: m, confFile: m.at(path), timeouts: map[string]string{}}
	_, b.ca = m.file("/opt/patroni/ca.pem")
	_, b.registry = m.Files["/opt/docker/config.json"]
	for _, text := range strings.Split(text, "\n") {
		words := strings.Fields(text)
		switch {
		case len(words) >= 3 && words[0] == "timeout" && b.timeouts[words[1]] == "":
			b.timeouts[words[1]] = words[2]
		case len(words) >= 3 && words[0] == "nameserver":
			if host, _, err := net.SplitHostPort(words[2]); err == nil {
				b.nameservers = append(b.nameservers, host)
			}
		case len(words) >= 3 && words[0] == "server":
			if host, _, err := net.SplitHostPort(words[2]); err == nil {
				b.servers = append(b.servers, host)
			}
		case len(words) >= 4 && words[0] == "server-template" && b.slots == "":
			b.slots = words[2]
			b.domain, _, _ = strings.Cut(words[3], ":")
		}
	}
	return b
}
