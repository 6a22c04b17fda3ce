package coredns

import (
	_ "embed"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

const (
	service   = "coredns.service"
	user      = "coredns"
	updater   = "coredns-updater" // its user
	updates   = updater + ".service"
	home      = "/var/lib/coredns"
	zones     = home + "/zones"
	corefile  = "/etc/coredns/Corefile"
	mirror    = "/etc/coredns-updater"
	checkZone = "/usr/local/lib/quorum/check-zone"
	checkFile = "/usr/local/lib/quorum/check-corefile"

	secondsToStart = 120
)

// zoneChecker judges a zone file before it is served.
//
//go:embed zone/check-zone
var zoneChecker string

// corefileChecker judges the Corefile before the server restarts with it.
//
//go:embed check-corefile
var corefileChecker string

// Logs are the services of the role, as fluentbit.tags names them.
var Logs = []host.Log{{Name: "coredns", Unit: service}, {Name: "corednsUpdater", Unit: updates}}

// Doors are the server's ports, by the services that the firewall has.
var Doors = []host.Door{
	{Service: "dns", Port: ports.DNS, Protocol: host.UDP, Asked: true},
	{Service: "dns", Port: ports.DNS, Protocol: host.TCP, Asked: true},
	{Service: host.MetricsDoor, Port: ports.Coredns, Protocol: host.TCP},
	{Service: host.MetricsDoor, Port: ports.CorednsHealth, Protocol: host.TCP},
}

// State is what the server needs on its machine. The server comes before the
// agent: what it has and what it forwards does not wait for etcd.
func (c Config) State() (s guest.State, err error) {
	v := c.values()
	conf, err := v.fill("Corefile")
	if err != nil {
		return s, err
	}
	unit, err := v.fill(service)
	if err != nil {
		return s, err
	}
	s.Artifacts = []guest.Artifact{c.software()}
	s.Users = []guest.User{{Name: user, Home: home}, {Name: updater, Home: "/nonexistent"}}
	s.Directories = []guest.Directory{
		{Path: home, Owner: "root", Group: "root", Mode: "0755"},
		{Path: zones, Owner: updater, Group: user, Mode: "2750"}, // only the agent writes, only the server reads
	}
	s.Files = []guest.File{
		guest.Public(corefile, conf), guest.Program(checkFile, corefileChecker), guest.Unit(service, unit),
		host.Box{Unit: service, Capabilities: []string{"CAP_NET_BIND_SERVICE"}}.File(),
	}
	s.Services = []guest.Service{{
		Name: service,
		// CoreDNS could read it again while it runs, but goes on with the old
		// one then if the new one is wrong, and tells nobody but its log.
		RestartOn:  []string{corefile},
		RestartKey: guest.Hash(c.release()),
		Verify:     []string{checkFile, corefile},
		Check:      &guest.Check{URL: "http://" + ports.At(c.IPs[0], ports.CorednsHealth) + "/health", Contains: "OK"},
		Timeout:    secondsToStart,
	}}
	agent, err := c.agent(v)
	if err != nil {
		return s, err
	}
	s.Add(agent)
	return s, nil
}

// agent keeps the zone files as etcd has them.
func (c Config) agent(v values) (guest.State, error) {
	s, err := host.Mirror{
		Etcd:      c.Etcd,
		KeyPrefix: strings.TrimSuffix(c.KeyPrefix, "/") + "/",
		Directory: zones,
		Pattern:   check.OriginPattern, // as CoreDNS finds them
		Validate:  []string{checkZone, "{name}", "{file}", "{served}"},
		Config:    mirror,
		User:      updater,
	}.State()
	if err != nil {
		return s, err
	}
	unit, err := v.fill(updates)
	if err != nil {
		return s, err
	}
	s.Files = append(s.Files, guest.Program(checkZone, zoneChecker))
	agent := guest.Service{Name: updates, Timeout: secondsToStart}
	for _, file := range s.Files {
		agent.RestartOn = append(agent.RestartOn, file.Path)
	}
	s.Files = append(s.Files, guest.Unit(updates, unit), host.Box{Unit: updates, Writes: []string{zones}}.File())
	s.Services = append(s.Services, agent)
	return s, nil
}
