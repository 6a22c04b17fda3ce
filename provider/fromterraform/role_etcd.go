package fromterraform

import (
	"net/url"
	"regexp"
	"strings"
)

// peer is a member as etcd's initial-cluster names it.
type peer struct{ name, ip, host string }

// member is an etcd member: its machine, and what its configuration says.
type member struct {
	*Machine
	peer
	conf     section
	confFile string // where that is
	peers    []peer
	ca       string // certificates
	server   string
	auth     string // the script that switches authentication on, if it is this one's
	version  string
}

// asMember is nil for a machine that is no etcd member.
func (m *Machine) asMember() *member {
	path, text := m.file("/etc/etcd/conf.yml", "/opt/conf.yml")
	if path == "" {
		return nil
	}
	conf, err := parse(text)
	e := &member{Machine: m, conf: conf, confFile: m.at(path)}
	if err != nil {
		m.problems = append(m.problems, e.confFile+": "+err.Error())
		return e
	}
	for _, entry := range strings.Split(conf.in("initial-cluster").text(), ",") {
		name, at, _ := strings.Cut(strings.TrimSpace(entry), "=")
		if host := hostIn(at); name != "" && host != "" {
			e.peers = append(e.peers, peer{name, hostOf(at), host})
		}
	}
	e.name = conf.in("name").text()
	first, _, _ := strings.Cut(conf.in("advertise-client-urls").text(), ",")
	e.ip, e.host = hostOf(first), hostIn(first)
	_, e.ca = m.file("/etc/etcd/tls/ca.crt", "/etc/etcd/tls/ca-cert.pem", "/opt/ca-cert.pem")
	_, e.server = m.file("/etc/etcd/tls/etcd.crt", "/etc/etcd/tls/cert.pem", "/opt/cert.pem")
	_, e.auth = m.file("/opt/bootstrap_auth.sh")
	for _, command := range m.Commands {
		if release := etcdRelease.FindStringSubmatch(command); release != nil {
			e.version = release[1]
		}
	}
	return e
}

var etcdRelease = regexp.MustCompile(`/etcd-v?(3\.[0-9]{1,3}\.[0-9]{1,3})-linux-`)

// hostOf is the address in a URL, or "".
func hostOf(text string) string {
	if host := hostIn(text); isIP(host) {
		return host
	}
	return ""
}

// hostIn is the host in a URL, by address or name, or "".
func hostIn(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return ""
	}
	return u.Hostname()
}

var (
	rootPassword = regexp.MustCompile(`--new-user-password="([^"\n]*)"`)
	bashMeans    = "$`\\"
)

// rootPassword is what the script gives root, if bash takes it as it is written.
func (e *member) rootPassword() (password, why string) {
	m := rootPassword.FindStringSubmatch(e.auth)
	switch {
	case m == nil || m[1] == "":
		return "", "no machine in the state has a script that gives root a password"
	case strings.ContainsAny(m[1], bashMeans):
		return "", "bash reads the password in " + e.at("/opt/bootstrap_auth.sh") + " otherwise than it is written there"
	}
	return m[1], ""
}
