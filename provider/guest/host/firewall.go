package host

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// Firewall says from where a machine's ports can be reached.
type Firewall struct {
	Enabled         *bool               `pulumi:"enabled,optional"`
	AllowedNetworks map[string][]string `pulumi:"allowedNetworks,optional"`
	AdditionalPorts []AdditionalPort    `pulumi:"additionalPorts,optional"`
}

// AdditionalPort is one of a service that the user has put on the machine.
type AdditionalPort struct {
	Port     int       `pulumi:"port"`
	Protocol *Protocol `pulumi:"protocol,optional"`
	Networks []string  `pulumi:"networks,optional"`
}

// Protocol is the one that a port is of.
type Protocol string

// The protocols.
const (
	TCP Protocol = "tcp"
	UDP Protocol = "udp"

	// VRRP is the protocol by which keepalived agrees on who has an address. Additional ports are not of it.
	VRRP Protocol = "vrrp"
)

// Door is a port of the machine, and the service by which allowedNetworks names it. Several
// may be of one service.
type Door struct {
	Service  string
	Port     int // 0 for a protocol that has none
	Protocol Protocol
	Asked    bool     // the gates of updates connect to it
	From     []string // the addresses that it is for, if they are known
}

const (
	ssh = "ssh"

	// MetricsDoor is the service of all ports of metrics.
	MetricsDoor = "metrics"

	firewallConf    = "/etc/quorum-firewall.nft"
	firewallService = "quorum-firewall.service"
	nft             = "/usr/sbin/nft"
)

// Doors are those of every machine.
var Doors = []Door{{Service: ssh, Port: ports.SSH, Protocol: TCP}, {Service: MetricsDoor, Port: ports.NodeExporter, Protocol: TCP, Asked: true}}

var (
	//go:embed firewall/quorum-firewall.service
	firewallUnit string
	//go:embed firewall/firewall.nft.tmpl
	firewallText string

	firewallTemplate = template.Must(template.New("firewall.nft").Parse(firewallText))
)

// opening is a port, and a network from which it can be reached: any, if it is "".
type opening struct {
	Port     int
	Protocol Protocol
	Network  string
}

// Rule is the opening in the words of nft.
func (o opening) Rule() (rule string) {
	switch {
	case strings.Contains(o.Network, ":"):
		rule = "ip6 saddr " + o.Network + " "
	case o.Network != "":
		rule = "ip saddr " + o.Network + " "
	}
	if o.Protocol == VRRP {
		return rule + "meta l4proto 112 accept" // by its number: a small system has no file of names
	}
	return fmt.Sprintf("%s%s dport %d accept", rule, o.Protocol, o.Port)
}

// off reports whether there is to be none.
func (f *Firewall) off() bool { return f != nil && f.Enabled != nil && !*f.Enabled }

// State closes all ports of the machine but these doors, and those that f adds.
func (f *Firewall) State(doors []Door) guest.State {
	if f.off() {
		return guest.State{}
	}
	var open []opening
	for _, d := range doors {
		open = append(open, f.of(d)...)
	}
	if f != nil {
		for _, p := range f.AdditionalPorts {
			open = append(open, p.openings()...)
		}
	}
	var text strings.Builder
	if err := firewallTemplate.Execute(&text, open); err != nil {
		panic(err) // it takes any openings
	}
	box := Box{Unit: firewallService, Capabilities: []string{"CAP_NET_ADMIN"}}
	return guest.State{
		Packages: []guest.Package{{Name: "nftables", Provides: []string{nft}}},
		Files: []guest.File{
			guest.Private(firewallConf, "root", text.String()), guest.Unit(firewallService, guest.Terse(firewallUnit)), box.File(),
		},
		Services: []guest.Service{{
			Name: firewallService, Means: "the firewall: which ports are open, and from where", ReloadOn: []string{firewallConf},
			Verify: []string{nft, "--check", "--file", firewallConf}, Timeout: secondsToStart,
		}},
	}
}

func (f *Firewall) of(d Door) []opening {
	if f != nil {
		if networks, given := f.AllowedNetworks[d.Service]; given {
			return openings(d.Port, d.Protocol, networks)
		}
	}
	if d.From != nil {
		return openings(d.Port, d.Protocol, d.From)
	}
	return []opening{{d.Port, d.Protocol, ""}}
}

func (p AdditionalPort) openings() []opening {
	protocol := TCP
	if p.Protocol != nil {
		protocol = *p.Protocol
	}
	if p.Networks == nil {
		return []opening{{p.Port, protocol, ""}}
	}
	return openings(p.Port, protocol, p.Networks)
}

func openings(port int, protocol Protocol, networks []string) (all []opening) {
	for _, network := range networks {
		all = append(all, opening{port, protocol, network})
	}
	return all
}

// services are those that doors are of, each once.
func services(doors []Door) (names []string) {
	for _, d := range doors {
		if !slices.Contains(names, d.Service) {
			names = append(names, d.Service)
		}
	}
	return names
}

// AboutFirewall describes the input firewall of machines with these doors.
func AboutFirewall(doors []Door) string {
	doors = slices.Concat(doors, Doors)
	var words []string
	for _, name := range services(doors) {
		var of []string
		for _, d := range doors {
			switch {
			case d.Service != name:
			case d.Port == 0:
				of = append(of, "the protocol of keepalived")
			default:
				of = append(of, fmt.Sprint(d.Port))
			}
		}
		words = append(words, fmt.Sprintf("`%s` (%s)", name, strings.Join(slices.Compact(of), ", ")))
	}
	return "The machine's firewall: nftables. All ports are closed but those of its services. The keys of `allowedNetworks` may be " +
		strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1] + "."
}
