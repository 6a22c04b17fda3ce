package change

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestClients has previews say what clients notice where they connect to another port or address.
func TestClients(t *testing.T) {
	t.Parallel()
	const (
		moved    = "Clients at 10.0.0.50 are cut off as load balancers change, and reach nobody there after the last one."
		unnamed  = "Nodes change before, and then have certificates for 10.0.0.51, and no longer for 10.0.0.50: clients there that verify names (sslmode=verify-full) refuse a leader that has changed."
		atNodes  = "The pool of each node moves from port 6432 to 7432: its clients are cut off when the node changes, and those that connect to nodes need the other port."
		balanced = "Ports 6432 and 6433 of lb-1, lb-2 stay. They look for pools at the former port until they change, after all nodes: their clients reach no pool of a node that has changed until then, and so none of the primary once that has."
	)
	two := []string{"lb-1", "lb-2"}
	for name, c := range map[string]struct {
		clients clients
		want    []string
	}{
		"nothing is known of before":     {clients{settings{}, plain("pooler.port", "7432"), true, two}, nil},
		"nothing of it":                  {clients{plain("a", "1", "pooler.port", "7432"), plain("a", "2", "pooler.port", "7432"), true, two}, nil},
		"the pool's port":                {clients{plain("pooler.poolSize", "10"), plain("pooler.poolSize", "10", "pooler.port", "7432"), true, two}, []string{atNodes, balanced}},
		"without load balancers":         {clients{plain("pooler", "{}"), plain("pooler.port", "7432"), true, nil}, []string{atNodes}},
		"as it is by default":            {clients{plain("pooler", "{}"), plain("pooler.port", "6432"), true, two}, nil},
		"a port that is not known":       {clients{plain("pooler", "{}"), plain("pooler.port", ""), true, nil}, []string{"The pool of each node moves from port 6432 to another one: its clients are cut off when the node changes, and those that connect to nodes need the other port."}},
		"a pool that is not known":       {clients{plain("pooler.port", "7432"), plain("pooler", ""), true, two}, nil},
		"a pool more":                    {clients{plain("a", "1"), plain("pooler.port", "7432"), true, two}, nil},
		"a pool less":                    {clients{plain("pooler.port", "7432"), plain("a", "1"), true, two}, nil},
		"of a node":                      {clients{before: plain("pooler.port", "7432"), now: plain("pooler", "{}")}, []string{"The pool moves from port 7432 to 6432: its clients are cut off, and need the other port. Load balancers need it as poolerPort."}},
		"of a load balancer":             {clients{before: plain("poolerPort", "6432"), now: plain("poolerPort", "7432")}, []string{"Its ports 6432 and 6433 stay. It looks for pools at port 7432 of the nodes instead of 6432: until the pools of the nodes are at that port, its clients reach none."}},
		"an address more":                {clients{plain("a", "1"), plain("virtualIp.address", "10.0.0.50"), true, two}, []string{"Clients reach the cluster at 10.0.0.50 too, from the change of the first load balancer on. The load balancers' own addresses stay."}},
		"another address":                {clients{plain("virtualIp.address", "10.0.0.50"), plain("virtualIp.address", "10.0.0.51"), true, two}, []string{moved + " From the change of the first one on, 10.0.0.51 answers.", unnamed}},
		"another, named otherwise":       {clients{plain("virtualIp.address", "10.0.0.50"), plain("virtualIp.address", "10.0.0.51", "certificate.extraIps[0]", "10.0.0.50"), true, two}, []string{moved + " From the change of the first one on, 10.0.0.51 answers."}},
		"one that is not known":          {clients{plain("virtualIp.address", "10.0.0.50"), plain("virtualIp.address", ""), true, two}, []string{moved + " From the change of the first one on, the new address answers.", "Nodes change before, and then have certificates for the new address, and no longer for 10.0.0.50: clients there that verify names (sslmode=verify-full) refuse a leader that has changed."}},
		"an address less":                {clients{plain("virtualIp.address", "10.0.0.50"), plain("a", "1"), true, two}, []string{moved + " Give clients the load balancers' own addresses first.", "Nodes change before, and then no longer have certificates for 10.0.0.50: clients there that verify names (sslmode=verify-full) refuse a leader that has changed."}},
		"another, and one like it":       {clients{plain("virtualIp.address", "10.0.0.5"), plain("virtualIp.address", "10.0.0.51", "certificate.extraIps[0]", "10.0.0.50"), true, two}, []string{strings.ReplaceAll(moved, "10.0.0.50", "10.0.0.5") + " From the change of the first one on, 10.0.0.51 answers.", strings.ReplaceAll(unnamed, "10.0.0.50", "10.0.0.5")}},
		"with all load balancers":        {clients{plain("virtualIp.address", "10.0.0.50"), plain("a", "1"), true, nil}, nil},
		"the router id that it had":      {clients{plain("virtualIp.address", "10.0.0.50"), plain("virtualIp.address", "10.0.0.50", "virtualIp.virtualRouterId", "50"), true, two}, nil},
		"a router id of one":             {clients{plain("virtualIp.address", "10.0.0.50"), plain("virtualIp.address", "10.0.0.50", "virtualIp.virtualRouterId", "7"), true, two[:1]}, nil},
		"another router id":              {clients{plain("virtualIp.address", "10.0.0.50"), plain("virtualIp.address", "10.0.0.50", "virtualIp.virtualRouterId", "7"), true, two}, []string{"A load balancer that has changed, and one that has not, do not know each other: both may have 10.0.0.50 until the last one has changed. Clients are cut off where it moves."}},
		"a load balancer's, more":        {clients{before: plain("a", "1"), now: plain("virtualIp.address", "10.0.0.50")}, []string{"It takes 10.0.0.50, unless another load balancer has it. Its own address stays."}},
		"a load balancer's, another one": {clients{before: plain("virtualIp.address", "10.0.0.50"), now: plain("virtualIp.address", "10.0.0.51")}, []string{"It gives up 10.0.0.50, if it has that: clients there are cut off. It takes 10.0.0.51, unless another load balancer has it."}},
		"a load balancer's, less":        {clients{before: plain("virtualIp.address", "10.0.0.50"), now: plain("a", "1")}, []string{"It gives up 10.0.0.50, if it has that: clients there are cut off, and reach another load balancer that shares the address, or nobody. Its own address stays."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, c.clients.notice())
		})
	}
}
