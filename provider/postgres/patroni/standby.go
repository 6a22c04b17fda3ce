package patroni

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"

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

// AboutStandby is what is said of the input.
const AboutStandby = "Another PostgreSQL cluster, in another place, of which this one is a standby: Patroni's `standby_cluster`. It is founded as a copy of that cluster and follows it, and its leader takes no writes. Taking it out promotes this cluster. It cannot be added to a cluster that exists. docs/postgres-standby.md has the steps."

// Annotate describes s.
func (s *Standby) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresStandby")
	a.Describe(&s, "The cluster that a standby cluster copies and follows.")
	a.Describe(&s.Endpoints, "Addresses or names of the source with one port, like `nodeEndpoints` or `primaryEndpoints` of its PostgresCluster: `host` and `port` of Patroni's `standby_cluster`. The first that answers is followed, which may be a replica. The certificates there must name them.")
	a.Describe(&s.PrimarySlotName, "Patroni's `primary_slot_name`: a physical replication slot of the source, which retains the WAL that this cluster has not received yet. It must be among `slots` of the source's Patroni. Without one, this cluster must be founded anew when it was cut off for longer than the source retains WAL.")
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

// validateStandby requires what the copied data have already to be what the program says.
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
