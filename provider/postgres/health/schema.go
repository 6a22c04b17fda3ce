package health

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// defaultMaximumLag is that of Patroni, for a node that may take over.
const defaultMaximumLag = 1 << 20

const aboutGeneration = "Generation of its state that the machine must have in force: the output `generation` of its server. Read from the metrics of its node exporter. Not looked at with `without`, and with `node` only of that node."

var (
	_ infer.Annotated = (*Health)(nil)
	_ infer.Annotated = (*HealthArgs)(nil)
	_ infer.Annotated = (*HealthState)(nil)
	_ infer.Annotated = (*Node)(nil)
	_ infer.Annotated = (*LoadBalancer)(nil)
	_ infer.Annotated = (*Plan)(nil)
)

// Annotate describes h.
func (h *Health) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealth")
	a.Describe(&h, `A gate: what depends on it waits until a PostgreSQL cluster under Patroni is healthy. It asks Patroni's API from where Pulumi runs.

With `+"`without`"+` it waits until the cluster can do without one node, and has another take over what that node does. With `+"`node`"+` it waits until one node is part of the cluster. With neither it waits for all nodes and load balancers. A leader that is none of `+"`nodes`"+` hands over to one of them.

It asks all nodes side by side, each for 2 seconds at most. It waits for 30 minutes at most, or as `+"`customTimeouts`"+` say, and its progress line says what is missing. A cluster that is paused, and a machine that could not take up its configuration, end the wait at once. When it is made, a gate of one node does not wait while the other nodes have no leader: they may not be there yet. A change of its inputs has it wait again, and never replaces it. A node that is out of the cluster, and was so before its machine was handed something else, is waited for 30 seconds: then a warning names it.

When it is refreshed, a gate of all nodes looks at them and at its load balancers, and notes in `+"`triggers.seen`"+` what they lacked for 10 seconds: the next update waits for that. A node that did not answer is waited for until it is well then, since the update may have started its machine.

It notes the nodes that it saw in the cluster in Patroni's dynamic configuration, under `+"`quorum_nodes`"+`.`)
}

// Annotate describes h.
func (h *HealthArgs) Annotate(a infer.Annotator) {
	a.Describe(&h.Nodes, "All nodes of the cluster.")
	a.Describe(&h.CACert, "Certificate of the authority that signed those of Patroni's API, PEM.")
	a.Describe(&h.ClientCert, "Certificate to present to Patroni's API, PEM.")
	a.Describe(&h.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&h.Without, "Name of a node that is about to change. The gate waits until another leads and, as far as there are nodes, as many others stream from it as `synchronousStandbys` says, one at least. If the node leads, it hands over first. If it is a synchronous standby, its PostgreSQL is restarted so that another takes its place: commits would wait for it when it goes. A node that the cluster goes on without already may change whatever the others lack, and nodes that never were in the cluster are not counted. This gate waits again only when `triggers` change.")
	a.Describe(&h.Candidates, "Names of the nodes that `without` had best hand over to, the best first. Then come the others, the least behind first. With synchronous replication only a synchronous standby can take over.")
	a.Describe(&h.Node, "Name of the one node that must lead, or stream from the leader. Not together with `without`.")
	a.Describe(&h.SynchronousStandbys, "Number of synchronous standbys that there must be: Patroni's synchronous_node_count, or 0 for asynchronous replication. Less than there are nodes.")
	a.SetDefault(&h.SynchronousStandbys, 0)
	a.Describe(&h.MaximumLag, "Bytes that a node may be behind the leader.")
	a.SetDefault(&h.MaximumLag, defaultMaximumLag)
	a.Describe(&h.LoadBalancers, "Load balancers that must lead to the leader and, if there is more than one node, to a replica. Neither with `without` nor with `node`. With `otherLoadBalancers`, the one that is about to change: it may whatever the others lack, if it leads nowhere already.")
	a.Describe(&h.OtherLoadBalancers, "The others, when a load balancer is about to change. The gate waits until one of them leads to the leader and, if there is more than one node, to a replica: one that it was given before. It waits again only when `triggers` change. Not together with `node` or `without`.")
	a.Describe(&h.Plan, "What an update is about to do. A gate with it waits for nothing: it has preview refuse what would endanger the cluster.")
	a.Describe(&h.Passwords, "Changes with PostgreSQL's passwords. Others are refused together with other `triggers` of `without`: a node that restarts logs in to its leader, which has the last ones yet.")
	a.Describe(&h.Triggers, "What the gate is about to follow, such as the id of a machine: with any change of these, it waits again.")
	a.Describe(&h.SkipHealthChecks, "Whether to wait for nothing: for total outages, and where Pulumi does not reach the machines.")
	a.SetDefault(&h.SkipHealthChecks, false)
	a.Describe(&h.AllowDataLoss, "Whether the only node of a cluster may lose its data, and the cluster begin again with none.")
	a.SetDefault(&h.AllowDataLoss, false)
}

// Annotate describes h.
func (h *HealthState) Annotate(a infer.Annotator) {
	a.Describe(&h.Nodes, "The nodes asked.")
	a.Describe(&h.Others, "The other load balancers given.")
	a.Describe(&h.Triggers, "The triggers given.")
	a.Describe(&h.Leader, "Name of the node that led when the gate last waited, or nothing if it did not wait yet.")
	a.Describe(&h.Members, "The members of the cluster then, each as its name, role and state, like `postgres-1 leader running`.")
	a.Describe(&h.Joined, "The nodes that were in the cluster when the gate last looked. Others may be yet to be made, and `without` does not count them.")
	a.Describe(&h.Leaving, "The nodes that left the program, until they answer no more. While one does, its machine is yet to be destroyed: a gate with `plan` refuses its address for another node, and a gate without `plan`, `node` and `without` waits until the other nodes can do without it.")
	a.Describe(&h.Timeline, "PostgreSQL's timeline then. It grows when another node takes over.")
	a.Describe(&h.SystemID, "PostgreSQL's identifier of the cluster. A leader with another one fails the gate.")
}

// Annotate describes n.
func (n *Node) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealthNode")
	a.Describe(&n, "A node of a PostgreSQL cluster, and where its Patroni answers.")
	a.Describe(&n.Name, "Name of the node in its cluster.")
	a.Describe(&n.IP, "Address of the node, IPv4 or IPv6. Its certificate must be for it.")
	a.Describe(&n.APIPort, "Port of Patroni's API.")
	a.SetDefault(&n.APIPort, ports.Patroni)
	a.Describe(&n.Generation, aboutGeneration)
	a.Describe(&n.Restarts, "Changes with what restarts Patroni on the node. The gate notes it in Patroni's dynamic configuration, under `quorum_nodes`, once the node has its `generation` in force.")
}

// Annotate describes b.
func (b *LoadBalancer) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealthLoadBalancer")
	a.Describe(&b, "The ports of a load balancer. It is asked for no more than the certificate of the PostgreSQL behind it, which must be the one of that node's Patroni.")
	a.Describe(&b.Endpoint, "Address and port that lead to the primary, as ip:port.")
	a.Describe(&b.ReplicaEndpoint, "Address and port that lead to replicas, as ip:port.")
	a.Describe(&b.Generation, aboutGeneration)
}

// Annotate describes p.
func (p *Plan) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealthPlan")
	a.Describe(&p, "What an update is about to do to a cluster.")
	a.Describe(&p.Version, "Major version of PostgreSQL: another one than before is refused.")
	a.Describe(&p.Keys, "Prefix of the cluster's keys in etcd, by Patroni's namespace and scope: another one than before is refused.")
	a.Describe(&p.Authority, "Certificate, PEM, of the authority that signs the nodes' certificates. Another one is refused unless it was among those of `caCert` before, and the last one still is.")
	a.Describe(&p.Data, "A text for each node, by name, which changes with what costs it its data. That of an only node is refused, unless `allowDataLoss` is on.")
	a.Describe(&p.Rebuilds, "A text for each node, by name, which changes with what makes another machine of it. With `skipHealthChecks` no more than one may change or go.")
}
