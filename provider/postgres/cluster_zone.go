package postgres

import (
	"net/netip"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/zone"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
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
	for i := range r.in.Args.LoadBalancers {
		all[0].ips = append(all[0].ips, r.balancerIP(i))
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
	err := ctx.RegisterResource("quorum:index:DnsZone", r.cluster, pulumi.Map{
		"etcd": r.connection("dns.etcd"), "keyPrefix": r.in.String("dns.keyPrefix"), "domain": r.in.RequiredString("dns.domain"),
		"nameservers": r.in.Strings("dns.nameservers"), "records": r.records(),
	}, zone, r.options()...)
	r.first = append(r.first, zone)
	return err
}

// records are those of the zone, by type.
func (r *postgresRoll) records() pulumi.Map {
	records := pulumi.Map{}
	for _, family := range []struct {
		kind string
		is   func(string) bool
	}{{"a", isIPv4}, {"aaaa", func(ip string) bool { return !isIPv4(ip) }}} {
		var all []any
		for _, n := range r.names() {
			var ips pulumi.StringArray
			for _, ip := range n.ips {
				ips = append(ips, ip)
			}
			all = append(all, fault.Apply(pulumi.All(n.name, ips), func(of []any) zone.AddressRecord {
				return addressRecord(of[0].(string), of[1].([]string), family.is)
			}))
		}
		records[family.kind] = fault.Apply(pulumi.All(all...), func(all []any) (some []map[string]any) {
			for _, one := range all {
				if record := one.(zone.AddressRecord); len(record.Addresses) > 0 {
					some = append(some, map[string]any{"name": record.Name, "addresses": record.Addresses})
				}
			}
			return some
		})
	}
	return records
}

func addressRecord(name string, ips []string, is func(string) bool) zone.AddressRecord {
	record := zone.AddressRecord{Name: name}
	for _, ip := range ips {
		if is(ip) {
			record.Addresses = append(record.Addresses, ip)
		}
	}
	return record
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
		if ip := m.site().IP(); isIPv4(ip) {
			z.Records.A = append(z.Records.A, zone.AddressRecord{Name: m.Name, Addresses: []string{ip}})
		} else if ip != "" {
			z.Records.AAAA = append(z.Records.AAAA, zone.AddressRecord{Name: m.Name, Addresses: []string{ip}})
		}
	}
	return z
}
