package patroni

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Standby is the cluster that this one copies and follows until it is promoted: Patroni's
// standby_cluster.
type Standby struct {
	Endpoints       []string       `pulumi:"endpoints,optional"`
	PrimarySlotName *string        `pulumi:"primarySlotName,optional"`
	Backup          *backup.Source `pulumi:"backup,optional"`
}

// standbyCluster is the same in Patroni's words. A setting that is taken out is null in JSON.
type standbyCluster struct {
	Host            *string  `yaml:"host,omitempty" json:"host"`
	Port            *int     `yaml:"port,omitempty" json:"port"`
	PrimarySlotName *string  `yaml:"primary_slot_name,omitempty" json:"primary_slot_name"`
	RestoreCommand  *string  `yaml:"restore_command,omitempty" json:"restore_command"`
	Methods         []string `yaml:"create_replica_methods" json:"create_replica_methods"`
}

// copying is the method by which Patroni makes the leader from the source's backups.
const copying = "quorum_copy"

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
	s := &standbyCluster{PrimarySlotName: c.Standby.PrimarySlotName}
	if c.Standby.Backup != nil {
		restore := c.backups().FollowCommand()
		s.RestoreCommand, s.Methods = &restore, []string{copying}
	}
	s.Methods = append(s.Methods, "basebackup") // of the source, where it has addresses, and of the leader for all other nodes
	if len(c.Standby.Endpoints) > 0 {
		hosts, port := c.Standby.hosts()
		all := strings.Join(hosts, ",")
		s.Host, s.Port = &all, &port
	}
	return s
}

// follows are the backups that the cluster follows, if it does.
func (c Config) follows() *backup.Source {
	if c.Standby == nil {
		return nil
	}
	return c.Standby.Backup
}

// About says what is followed, for people.
func (s Standby) About() string {
	var of []string
	if len(s.Endpoints) > 0 {
		of = append(of, strings.Join(s.Endpoints, ", "))
	}
	if s.Backup != nil {
		of = append(of, s.Backup.About())
	}
	return strings.Join(of, ", and ")
}

// validate returns what is wrong with s. own are addresses of the cluster itself.
func (s Standby) validate(own []string) check.List {
	var l check.List
	if len(s.Endpoints) == 0 && s.Backup == nil {
		l.Add("", "must have endpoints, or backup, or both: by them the cluster is copied and followed").Shape().Needing("endpoints", "backup")
	}
	if s.Backup != nil {
		l.Under("backup", s.Backup.Validate())
	}
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
	if s.PrimarySlotName != nil && len(s.Endpoints) == 0 {
		l.Add("primarySlotName", "is of no use without endpoints").Shape().Needing("endpoints")
	}
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
		l.Add("restore", "must not be given with standbyOf, by which the cluster is founded as a copy: give the source's backups as standbyOf.backup").Shape().Needing("standbyOf")
	}
	if of, own := c.Standby.Backup, c.Backup; of != nil && own != nil && ptr.Value(own.Stanza) == of.Stanza && own.S3.SamePlace(of.S3) {
		l.Add("standbyOf.backup.stanza", "must be that of the source: %s is this cluster's own, in the same bucket and prefix. A standby must not write into its source's backups once it is promoted", check.Quote(of.Stanza)).
			Needing("backup")
	}
	return l
}
