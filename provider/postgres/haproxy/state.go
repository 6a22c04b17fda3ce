package haproxy

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// Service is the unit, the package's or ours for a container.
const Service = "haproxy.service"

const (
	confFile = "/etc/haproxy/haproxy.cfg"
	caFile   = "/etc/haproxy/patroni/ca.crt"

	clientFile = "/etc/haproxy/patroni/client.pem"

	user = "haproxy" // in a container, the process has its number

	secondsToStart = 120
)

// unprivileged has the package's unit run HAProxy as its user from the start, for whom /run is
// not to write. All of its ports are above 1024.
//
//go:embed unprivileged.conf
var unprivileged string

//go:embed haproxy-answers
var answers string

// State is what the load balancer needs on its machine.
func (c Config) State() (guest.State, error) {
	conf, hash, err := c.conf()
	if err != nil {
		return guest.State{}, err
	}
	s := guest.State{Services: []guest.Service{{
		Name:     Service,
		ReloadOn: []string{confFile, caFile},
		Verify:   []string{"/usr/sbin/haproxy", "-c", "-f", confFile},
		Check:    &guest.Check{URL: "http://" + c.metrics() + "/health", Contains: hash},
		Timeout:  secondsToStart,
	}}}
	s.Directories = []guest.Directory{{Path: "/etc/haproxy/patroni", Owner: "root", Group: user, Mode: "0750"}}
	s.Files = []guest.File{guest.Public(caFile, c.CACert), guest.Private(confFile, user, conf)}
	if c.ClientCert != "" {
		s.Files = append(s.Files, guest.Private(clientFile, user, strings.TrimSpace(c.ClientCert)+"\n"+c.ClientKey))
		s.Services[0].ReloadOn = append(s.Services[0].ReloadOn, clientFile)
	}
	if c.Registry != nil {
		c.container(&s)
	} else {
		s.Packages = []guest.Package{{Name: "haproxy", Provides: []string{"/usr/sbin/haproxy"}}}
		s.Files = append(s.Files, guest.Unit(Service+".d/quorum.conf", unprivileged), host.Box{Unit: Service}.File())
	}
	if c.Asked {
		s.Files = append(s.Files, guest.Program(Answers()[0], answers))
	}
	return s, nil
}

// Answers is the program that tells whether HAProxy answers, and its argument.
func Answers() []string {
	return []string{"/usr/local/lib/quorum/haproxy-answers", strconv.Itoa(ports.HaproxySocket)}
}
