package cloudinit

import (
	"fmt"
	"net/netip"
	"strings"

	"gopkg.in/yaml.v3"
)

// Interface is a network interface with a fixed address.
type Interface struct {
	Name       string
	MAC        string
	IP         string
	Prefix     int
	Gateway    string
	DNSServers []string
}

type network struct {
	Version   int                 `yaml:"version"`
	Ethernets map[string]ethernet `yaml:"ethernets"`
}

type ethernet struct {
	Match       match        `yaml:"match"`
	SetName     string       `yaml:"set-name"`
	DHCP4       bool         `yaml:"dhcp4"`
	DHCP6       bool         `yaml:"dhcp6"`
	AcceptRA    bool         `yaml:"accept-ra"`
	Addresses   []string     `yaml:"addresses"`
	Routes      []route      `yaml:"routes,omitempty"`
	Nameservers *nameservers `yaml:"nameservers,omitempty"`
}

type match struct {
	MAC quoted `yaml:"macaddress"`
}

type route struct {
	To  string `yaml:"to"`
	Via string `yaml:"via"`
}

type nameservers struct {
	Addresses []string `yaml:"addresses"`
}

// quoted is always written in quotes: YAML 1.1 reads 52:54:00:11:22:33 as a number.
type quoted string

// MarshalYAML writes q in quotes.
func (q quoted) MarshalYAML() (any, error) {
	return yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: string(q)}, nil
}

// NetworkConfig gives the network configuration, version 2, of a machine.
func NetworkConfig(interfaces []Interface) (string, error) {
	n := network{Version: 2, Ethernets: map[string]ethernet{}}
	for _, i := range interfaces {
		e := ethernet{
			Match:     match{quoted(strings.ToLower(i.MAC))},
			SetName:   i.Name,
			Addresses: []string{fmt.Sprintf("%s/%d", i.IP, i.Prefix)},
		}
		if i.Gateway != "" {
			e.Routes = []route{{everywhere(i.Gateway), i.Gateway}}
		}
		if len(i.DNSServers) > 0 {
			e.Nameservers = &nameservers{i.DNSServers}
		}
		n.Ethernets[i.Name] = e
	}
	return marshal(n)
}

// everywhere is the default route of the gateway's family, as numbers: the
// word default crashes the renderers of cloud-init 22.4.
func everywhere(gateway string) string {
	if ip, err := netip.ParseAddr(gateway); err == nil && ip.Is6() {
		return "::/0"
	}
	return "0.0.0.0/0"
}

// MetaData gives the meta data of a machine. Another instance is, to
// cloud-init, another machine.
func MetaData(instance, hostname string) (string, error) {
	return marshal(struct {
		InstanceID    string `yaml:"instance-id"`
		LocalHostname string `yaml:"local-hostname"`
	}{instance, hostname})
}
