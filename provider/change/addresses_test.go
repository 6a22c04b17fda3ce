package change

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTakenAddresses(t *testing.T) {
	t.Parallel()
	cluster := func(nodes, balancers []string, settings ...string) ClusterArgs {
		return ClusterArgs{Members: nodes, LoadBalancers: balancers, Service: patroniService, Settings: plain(settings...).plain}
	}
	one := []string{"pg-1"}
	was := cluster(one, []string{"lb-1", "lb-2"}, "nodes[pg-1].ip", "10.0.0.31", "loadBalancers[lb-1].ip", "10.0.0.41", "loadBalancers[lb-2].libvirt.networks[0].ip", "10.0.0.42")
	const ends = ", which still has it then: for a while two machines have it, which OpenStack refuses. Give it another address, or free this one in an update before"
	for name, c := range map[string]struct {
		now  ClusterArgs
		want []string
	}{
		"the same":            {was, nil},
		"written elsewhere":   {cluster(one, []string{"lb-1"}, "loadBalancers[lb-1].libvirt.networks[0].ip", "10.0.0.41"), nil},
		"one that is renamed": {cluster(one, []string{"lb-9"}, "loadBalancers[lb-9].ip", "10.0.0.41"), []string{"lb-9 is to have 10.0.0.41, the address of lb-1" + ends}},
		"two that swap, of which the first has moved away": {cluster(one, []string{"lb-1", "lb-2"}, "loadBalancers[lb-1].ip", "10.0.0.42", "loadBalancers[lb-2].ip", "10.0.0.41"), []string{
			"lb-1 is to have 10.0.0.42, the address of lb-2" + ends,
		}},
		"a load balancer with a node's": {cluster(nil, []string{"lb-9"}, "loadBalancers[lb-9].ip", "10.0.0.31"), []string{"lb-9 is to have 10.0.0.31, the address of pg-1" + ends}},
		"one that is not known yet":     {cluster(one, []string{"lb-9"}, "loadBalancers[lb-9].ip", ""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, c.now.taken(was))
		})
	}
}
