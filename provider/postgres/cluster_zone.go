package postgres

import (
	"net/netip"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/zone"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// nodesName is the name, in the zone of a cluster, that all nodes have.
const nodesName = "nodes"

// zoneName is a name in the zone, and the machines whose addresses it has.
type zoneName struct {
	name pulumi.StringInput
	ips  []pulumi.StringOutput
}

// names are all of the zone: those of machines, one for all nodes, and the
// domain itself for the load balancers.
func (r *postgresRoll) names() []zoneName {
	all := []zoneName{{name: pulumi.String("@")}, {name: pulumi.String(nodesName)}}
	for i := range r.in.Args.Nodes {
		all[1].ips = append(all[1].ips, r.nodeIP(i))
		all = append(all, zoneName{r.in.RequiredString(check.Index("nodes", i) + ".name"), []pulumi.StringOutput{r.nodeIP(i)}})
	}
	for _, ip := range r.virtualIP() { // alone: who resolves the domain is to find the one that answers
		all[0].ips = append(all[0].ips, ip.ToStringOutput())
	}
	for i := range r.in.Args.LoadBalancers {
		if r.in.Args.VirtualIP == nil {
			all[0].ips = append(all[0].ips, r.balancerIP(i))
		}
		all = append(all, zoneName{r.in.RequiredString(check.Index("loadBalancers", i) + ".name"), []pulumi.StringOutput{r.balancerIP(i)}})
	}
	return all
}

// nameMachines keeps a zone for the machines, if one is wanted.
func (r *postgresRoll) nameMachines(ctx *pulumi.Context) error {
	if r.in.Args.DNS == nil {
		return nil
	}
	zone := &server.CustomResource{}
	err := ctx.RegisterResource("quorum:index:DnsZone", r.cluster, quorum.DnsZoneArgs{
		Etcd: r.connection("dns.etcd"), KeyPrefix: r.in.String("dns.keyPrefix"), Domain: r.in.RequiredString("dns.domain"),
		Nameservers: r.in.Strings("dns.nameservers"),
		Records:     quorum.DnsRecordsArgs{A: r.records(isIPv4), Aaaa: r.records(func(ip string) bool { return !isIPv4(ip) })},
	}, zone, r.options()...)
	r.first = append(r.first, zone)
	return err
}

// records are those of the zone with the addresses of a family.
func (r *postgresRoll) records(is func(ip string) bool) quorum.DnsAddressRecordArrayOutput {
	var all []any
	for _, n := range r.names() {
		var ips pulumi.StringArray
		for _, ip := range n.ips {
			ips = append(ips, ip)
		}
		all = append(all, fault.Apply(pulumi.All(n.name, ips), func(of []any) quorum.DnsAddressRecord {
			isNot := func(ip string) bool { return !is(ip) }
			return quorum.DnsAddressRecord{Name: of[0].(string), Addresses: slices.DeleteFunc(slices.Clone(of[1].([]string)), isNot)}
		}))
	}
	return fault.Apply(pulumi.All(all...), func(all []any) (some []quorum.DnsAddressRecord) {
		for _, one := range all {
			if record := one.(quorum.DnsAddressRecord); len(record.Addresses) > 0 {
				some = append(some, record)
			}
		}
		return some
	}).(quorum.DnsAddressRecordArrayOutput)
}

func isIPv4(ip string) bool {
	address, err := netip.ParseAddr(ip)
	return err == nil && address.Is4()
}

// domains are the names in the zone by which clients come to a node: its own,
// those of the load balancers, and the domain itself.
func (r *postgresRoll) domains(node string) pulumi.StringArrayInput {
	if r.in.Args.DNS == nil {
		return nil
	}
	domain := r.in.RequiredString("dns.domain")
	all := pulumi.StringArray{domain, pulumi.Sprintf("%s.%s", r.in.RequiredString(node), domain)}
	for i := range r.in.Args.LoadBalancers {
		all = append(all, pulumi.Sprintf("%s.%s", r.in.RequiredString(check.Index("loadBalancers", i)+".name"), domain))
	}
	return all
}

// zone is what the zone is to be, as far as it is known.
func (a PostgresClusterArgs) zone() zone.ZoneArgs {
	z := zone.ZoneArgs{Etcd: a.DNS.Etcd, KeyPrefix: a.DNS.KeyPrefix, Domain: a.DNS.Domain, Nameservers: a.DNS.Nameservers, Records: &zone.Records{}}
	for _, m := range a.machines() {
		if ip := m.backend().IP(); isIPv4(ip) {
			z.Records.A = append(z.Records.A, zone.AddressRecord{Name: m.Name, Addresses: []string{ip}})
		} else if ip != "" {
			z.Records.AAAA = append(z.Records.AAAA, zone.AddressRecord{Name: m.Name, Addresses: []string{ip}})
		}
	}
	return z
}
