package haproxy

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// Service is the unit, the package's or ours for a container.
const Service = "haproxy.service"

const (
	confFile = "/etc/haproxy/haproxy.cfg"
	caFile   = "/etc/haproxy/patroni/ca.crt"
	pemFile  = "/etc/haproxy/patroni/client.pem"

	secondsToStart = 120
)

// State is what the load balancer needs on its machine.
func (c Config) State() (guest.State, error) {
	conf, hash, err := c.conf()
	if err != nil {
		return guest.State{}, err
	}
	s := guest.State{Services: []guest.Service{{
		Name:     Service,
		ReloadOn: []string{confFile, caFile, pemFile},
		Verify:   []string{"/usr/sbin/haproxy", "-c", "-f", confFile},
		Check:    &guest.Check{URL: "http://" + c.metrics() + "/health", Contains: hash},
		Timeout:  secondsToStart,
	}}}
	owner := "root" // HAProxy reads its files before it becomes another user
	if c.Registry != nil {
		owner = containerUser
		c.container(&s)
	} else {
		s.Packages = []guest.Package{{Name: "haproxy", Provides: []string{"/usr/sbin/haproxy"}}}
	}
	s.Directories = append(s.Directories, guest.Directory{Path: "/etc/haproxy/patroni", Owner: "root", Group: owner, Mode: "0750"})
	s.Files = append([]guest.File{
		guest.Public(caFile, c.TLS.CACert),
		guest.Private(pemFile, owner, pem(c.TLS)),
		guest.Private(confFile, owner, conf),
	}, s.Files...)
	return s, nil
}

// pem is certificate and key in one, as HAProxy wants them.
func pem(t TLS) string {
	return strings.TrimSuffix(t.ClientCert, "\n") + "\n" + t.ClientKey
}
