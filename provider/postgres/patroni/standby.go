package patroni

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Standby is the cluster that this one copies and follows until it is promoted: Patroni's
// standby_cluster.
type Standby struct {
	Endpoints       []string `pulumi:"endpoints"`
	PrimarySlotName *string  `pulumi:"primarySlotName,optional"`
}

// standbyCluster is the same in Patroni's words. A setting that is taken out is null in JSON.
type standbyCluster struct {
	Host            string   `yaml:"host" json:"host"`
	Port            int      `yaml:"port" json:"port"`
	PrimarySlotName *string  `yaml:"primary_slot_name,omitempty" json:"primary_slot_name"`
	Methods         []string `yaml:"create_replica_methods" json:"create_replica_methods"`
}

// hosts are the addresses and names, and the ports.
func (s Standby) hosts() (hosts []string, port int) {
	for _, endpoint := range s.Endpoints {
		host, number, _ := net.SplitHostPort(endpoint)
		hosts = append(hosts, host)
		port, _ = strconv.Atoi(number)
	}
	return hosts, port
}

func (c Config) standbyCluster() *standbyCluster {
	if c.Standby == nil {
		return nil
	}
	hosts, port := c.Standby.hosts()
	return &standbyCluster{Host: strings.Join(hosts, ","), Port: port, PrimarySlotName: c.Standby.PrimarySlotName, Methods: []string{"basebackup"}}
}

// validate returns what is wrong with s. own are addresses of the cluster itself.
func (s Standby) validate(own []string) check.List {
	var l check.List
	l.Required("endpoints", s.Endpoints)
	ports := map[string]bool{}
	for i, endpoint := range s.Endpoints {
		path := check.Index("endpoints", i)
		if reason := check.HostAndPort(endpoint); reason != "" {
			l.Check(path, reason)
			continue
		}
		host, port, _ := net.SplitHostPort(endpoint)
		if ports[port] = true; len(ports) > 1 {
			l.Add(path, "must have the port of the others, which is one for all in Patroni's standby_cluster, not %s", port)
		}
		l.Under("", s.notItself(path, host, own))
	}
	l.Distinct(check.Each("endpoints", len(s.Endpoints), ""), s.Endpoints)
	if s.PrimarySlotName != nil && !check.Matches(`[a-z0-9_]{1,63}`, *s.PrimarySlotName) {
		l.Add("primarySlotName", "must be 1 to 63 of a-z, 0-9 and _, not %s", check.Quote(*s.PrimarySlotName))
	}
	return l
}

func (Standby) notItself(path, host string, own []string) (l check.List) {
	a, notIP := netip.ParseAddr(host)
	itself := notIP != nil && check.Itself(host) || notIP == nil && check.Loopback(a)
	for _, ip := range own {
		itself = itself || check.SameIP(ip, host)
	}
	if itself {
		l.Add(path, "must be of another cluster: %s is this cluster's own address, and a cluster cannot be a standby of itself", host).Needing("ips")
	}
	return l
}

// validateStandby returns what is wrong with the cluster that is followed, and with what does not go with it.
func (c Config) validateStandby() check.List {
	var l check.List
	if c.Standby == nil {
		return nil
	}
	l.Under("standbyOf", c.Standby.validate(c.IPs))
	if c.Restore != nil {
		l.Add("restore", "must not be given with standbyOf, by which the cluster is founded as a copy of another one that runs").Shape().Needing("standbyOf")
	}
	return l
}
