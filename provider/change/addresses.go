package change

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// taken warns of machines that are to have the address which another one has until its own turn, or
// until it is deleted at the end: of members and nodes that is refused, and of load balancers nobody asks.
func (a ClusterArgs) taken(before ClusterArgs) (warnings []string) {
	was, is := before.addresses(), a.addresses()
	for _, address := range slices.Sorted(maps.Keys(is)) {
		former, now := was[address], is[address]
		if former == "" || former == now || slices.Contains(a.before(now), former) {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s is to have %s, the address of %s, which still has it then: for a while two machines have it, which OpenStack refuses. "+
			"Give it another address, or free this one in an update before", now, address, former))
	}
	return warnings
}

// before are the load balancers that change before one of them.
func (a ClusterArgs) before(name string) []string {
	return a.LoadBalancers[:max(0, slices.Index(a.LoadBalancers, name))]
}

// addresses are the machines by their first addresses, as far as those are known and no secret.
func (a ClusterArgs) addresses() map[string]string {
	all := map[string]string{}
	add := func(list string, names []string) {
		for _, name := range names {
			machine := list + "[" + name + "]"
			for _, below := range []string{"ip", "libvirt.networks[0].ip", "libvirt.macvtapInterfaces[0].ip", "openstack.networkPort.ip"} {
				if address := a.Settings[check.Join(machine, below)]; address != "" {
					all[address] = name
					break
				}
			}
		}
	}
	add(map[string]string{etcdService: "members", patroniService: "nodes"}[a.Service], a.Members)
	add("loadBalancers", a.LoadBalancers)
	return all
}
