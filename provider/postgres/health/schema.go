package health

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// defaultMaximumLag is Patroni's default of maximum_lag_on_failover.
const defaultMaximumLag = 1 << 20

const aboutGeneration = "Configuration that must be in force on the machine: the output `generation` of its server. Read from the metrics of its node exporter. Ignored with `without`; with `node`, checked only for that node."

var (
	_ infer.Annotated = (*Health)(nil)
	_ infer.Annotated = (*HealthArgs)(nil)
	_ infer.Annotated = (*HealthState)(nil)
	_ infer.Annotated = (*Node)(nil)
	_ infer.Annotated = (*LoadBalancer)(nil)
	_ infer.Annotated = (*Plan)(nil)
	_ infer.Annotated = (*Upgrade)(nil)
	_ infer.Annotated = (*UpgradeFrom)(nil)
)

// Annotate describes h.
func (h *Health) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealth")
	a.Describe(&h, `A gate: resources that depend on it are changed only when a PostgreSQL cluster under Patroni is healthy. It uses Patroni's REST API, from where Pulumi runs.

With `+"`without`"+` it waits until the cluster can do without one node, and moves that node's role to another. With `+"`node`"+` it waits until one node is part of the cluster. Otherwise it waits for all nodes and load balancers. If the leader is not in `+"`nodes`"+`, there is a switchover to one of them.

It queries all nodes in parallel, each for at most 2 seconds. It waits for at most 30 minutes, or as `+"`customTimeouts`"+` say, and its progress line shows what is missing. It fails at once if the cluster is paused, or a machine could not apply its configuration. When it is created, a gate of one node does not wait while the other nodes have no leader: they may not exist yet. A change of its inputs makes it wait again, and never replaces it. For a node that was not in the cluster already before its machine changed, it waits 30 seconds, and then only warns.

A refresh of a gate of all nodes checks them and its load balancers, and records in `+"`triggers.seen`"+` what was missing for 10 seconds: the next update waits for that. If a node did not answer, the update waits until it is healthy, since it may have started its machine.

It records the nodes that it saw in the cluster in Patroni's dynamic configuration, under `+"`quorum_nodes`"+`.`)
}

// Annotate describes h.
func (h *HealthArgs) Annotate(a infer.Annotator) {
	a.Describe(&h.Nodes, "All nodes of the cluster.")
	a.Describe(&h.CACert, "Certificate of the authority that signed those of Patroni's API, PEM.")
	a.Describe(&h.ClientCert, "Client certificate for Patroni's REST API, PEM.")
	a.Describe(&h.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&h.Without, "Name of a node that is about to change. The gate waits until another node is the leader and, if there are enough nodes, `synchronousStandbys` others (at least one) stream from it. If the node is the leader, there is a switchover first. If it is a synchronous standby, its PostgreSQL is restarted so that another node becomes one: otherwise commits would wait for it while it changes. A node that is already out of the cluster may change in any case, and nodes that never were in the cluster are not counted. With this input, the gate waits again only when `triggers` change.")
	a.Describe(&h.Candidates, "Preferred nodes for a switchover from `without`, in this order; after them the others, by their lag. With synchronous replication only a synchronous standby can become leader.")
	a.Describe(&h.Node, "Name of the one node that must be the leader, or stream from it. Not together with `without`.")
	a.Describe(&h.SynchronousStandbys, "Required number of synchronous standbys: Patroni's `synchronous_node_count`, or 0 for asynchronous replication. Less than the number of nodes.")
	a.SetDefault(&h.SynchronousStandbys, 0)
	a.Describe(&h.MaximumLag, "Bytes of WAL that a node may be behind the leader.")
	a.SetDefault(&h.MaximumLag, defaultMaximumLag)
	a.Describe(&h.LoadBalancers, "Load balancers that must connect to the leader and, if there is more than one node, to a replica. Not together with `without` or `node`. With `otherLoadBalancers`, the one that is about to change: if it already does not work, it may change in any case.")
	a.Describe(&h.OtherLoadBalancers, "The other load balancers, when one is about to change. The gate waits until one of them, which was already in this list before, connects to the leader and, if there is more than one node, to a replica. With this input, it waits again only when `triggers` change. Not together with `node` or `without`.")
	a.Describe(&h.Plan, "What an update will do. A gate with it does not wait: it refuses dangerous changes, already in preview.")
	a.Describe(&h.Source, "How to reach the cluster that this one is a standby of, as its superuser. With `plan`: when `standbyOf` is taken out, it is asked to refuse writes before this one is promoted, if it answers.")
	a.Describe(&h.Passwords, "A text that changes with PostgreSQL's passwords. With `without`, a change of it together with `triggers` is refused: the restarted node would log in to a leader that still has the old passwords.")
	a.Describe(&h.Triggers, "Values such as the id of a machine: when any of them changes, the gate waits again.")
	a.Describe(&h.SkipHealthChecks, "Whether to skip the checks: for a cluster that is lost as a whole, or whose machines Pulumi cannot reach.")
	a.SetDefault(&h.SkipHealthChecks, false)
	a.Describe(&h.AllowDataLoss, "Whether the only node of a cluster may lose its data, after which the cluster starts again empty.")
	a.SetDefault(&h.AllowDataLoss, false)
	a.Describe(&h.ApplyRestarts, "Whether PostgreSQL is restarted where Patroni says that parameters wait for that, once all nodes are healthy: one node after the other, replicas first, then the leader, after a switchover to a node that waits for nothing. Where a parameter is lowered of which replicas may not have less than the leader, as `max_connections`, the leader is restarted without a switchover, and replicas after it. Only for a gate of all nodes. A refresh notes which nodes wait.")
	a.Describe(&h.BackupStanza, "The stanza that the cluster's backups have. The gate waits until there is a full backup that was found complete; later it warns if a backup or a drill failed, or is overdue. With `standbyOf`, the first gate requires that no backups have that stanza yet. Not together with `node`, `without` or `otherLoadBalancers`.")
	a.Describe(&h.BackupID, "With `backupStanza`: the `id` that the leader must report in the metric `quorum_backup_info`. It changes with the place of the backups, and with the keys.")
	a.Describe(&h.StandbyOf, "The cluster that this one is a standby of, in words, such as its addresses. Its leader then follows that one and accepts no writes; without it the leader must accept them. With `plan`, it must not be added, and taking it out promotes the cluster: Patroni's `standby_cluster` is removed, and the gate waits until the leader accepts writes, whatever `skipHealthChecks` says.")
	a.Describe(&h.StandbyBy, "With `standbyOf`: how WAL of that cluster arrives, by `endpoints`, `backup` or both. With `backup` the leader need not stream from it.")
	a.Describe(&h.Upgrade, "Has the nodes bring PostgreSQL to another major version, which they do by themselves: the gate asks for it in Patroni's dynamic configuration, under `quorum_upgrade`, and waits. It does nothing else. With `plan`, steps in a wrong order are refused.")
	a.Describe(&h.SuperuserPassword, "Password of PostgreSQL's user `postgres`. With it, the gate asks the nodes on port 5432 whether they sort text as they did when indexes were made: the C library and ICU of another release of the operating system may not. A node that does not, while the leader does, is an error. With `plan` only while a node is external: then the gate logs in with it. Not together with `otherLoadBalancers`.")
	a.Describe(&h.ReindexCollations, "With `superuserPassword`: whether nodes that sort otherwise are let in. As soon as such a one leads, the gate has all indexes that may depend on it made anew, and the versions noted.")
	a.Describe(&h.UpgradeFrom, "Another cluster that this one is filled from, by logical replication, to take its place: a gate with it waits until all rows are here and what changes there follows, and does nothing else. With `plan` it only looks at the source, must not be added, and taking it out cuts over: the source refuses writes, and this cluster takes them once it has them all.")
	a.Describe(&h.EncryptionKeyGiven, "With `backupStanza`: whether the program gives the key of the backups. The gate warns when it comes to, and the key that was made leaves the state.")
}

// Annotate describes h.
func (h *HealthState) Annotate(a infer.Annotator) {
	a.Describe(&h.Nodes, "The nodes asked.")
	a.Describe(&h.Others, "The other load balancers given, or those of `plan`.")
	a.Describe(&h.Triggers, "The triggers given.")
	a.Describe(&h.Leader, "Name of the leader when the gate last waited; empty if it never did.")
	a.Describe(&h.Members, "The members of the cluster then, each as its name, role and state, like `postgres-1 leader running`.")
	a.Describe(&h.Joined, "The nodes that were in the cluster at the gate's last check. Other nodes may not exist yet, and are not counted with `without`.")
	a.Describe(&h.Leaving, "Nodes that were removed from the program, as long as they answer. Until the machine of such a node is destroyed, a gate with `plan` refuses its address for another node, and a gate without `plan`, `node` and `without` waits until the cluster can do without it.")
	a.Describe(&h.Timeline, "PostgreSQL's timeline at that time. It increases with each failover and switchover.")
	a.Describe(&h.BackupTimes, "With `backupStanza`, as of the last check: when the last backup (`lastBackup`), the last full one (`lastFullBackup`), the last check of the repository (`verified`) and the last drill (`lastDrill`) ended, and from and to when the cluster could be restored (`restorableFrom`, `restorableTo`).")
	a.Describe(&h.StandbyOf, "The `standbyOf` given.")
	a.Describe(&h.Source, "How the cluster that it follows is reached.")
	a.Describe(&h.UpgradeFrom, "The `upgradeFrom` given.")
	a.Describe(&h.FreeStanza, "With `standbyOf`: the `backupStanza` in which nobody had backups, when the gate looked first.")
	a.Describe(&h.SystemID, "PostgreSQL's system identifier of the cluster. The gate fails if the leader has another one.")
}

// Annotate describes n.
func (n *Node) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealthNode")
	a.Describe(&n, "A node of a PostgreSQL cluster, and the address of its Patroni.")
	a.Describe(&n.Name, "Name of the node in its cluster.")
	a.Describe(&n.IP, "Address of the node, IPv4 or IPv6. Its certificate must name this address.")
	a.Describe(&n.APIPort, "Port of Patroni's API.")
	a.SetDefault(&n.APIPort, ports.Patroni)
	a.Describe(&n.Generation, aboutGeneration)
	a.Describe(&n.External, "Whether it is somebody else's machine: it always counts, it is not recorded, and while there is one the cluster must be there, nodes that the program does not name are left alone, and a gate with `without` that is new fails while the machine that is to be replaced still answers.")
	a.Describe(&n.Restarts, "A text that changes when Patroni must restart on the node. The gate records it in Patroni's dynamic configuration, under `quorum_nodes`, once the node's `generation` is in force.")
}

// Annotate describes b.
func (b *LoadBalancer) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealthLoadBalancer")
	a.Describe(&b, "The ports of a load balancer. The gate only reads the certificate of the PostgreSQL server behind it, and compares it with those of the nodes' Patroni.")
	a.Describe(&b.Endpoint, "Address and port for connections to the primary, as ip:port.")
	a.Describe(&b.ReplicaEndpoint, "Address and port for connections to replicas, as ip:port.")
	a.Describe(&b.Generation, aboutGeneration)
	a.Describe(&b.External, "Whether it is somebody else's machine, which may have no port for replicas: that is not asked for.")
}

// Annotate describes p.
func (p *Plan) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealthPlan")
	a.Describe(&p, "What an update will do to a cluster.")
	a.Describe(&p.Version, "Major version of PostgreSQL. A change is refused, but for one of an `upgrade`.")
	a.Describe(&p.Upgrade, "The major upgrade that is asked for, if one is.")
	a.Describe(&p.Keys, "Prefix of the cluster's keys in etcd, by Patroni's `namespace` and `scope`. A change is refused.")
	a.Describe(&p.Authority, "Certificate, PEM, of the authority that signs the nodes' certificates. A change is refused unless the new authority was in `caCert` before, and the previous one still is.")
	a.Describe(&p.Data, "A text for each node, by name, that changes when the node will lose its data. For the only node a change is refused, unless `allowDataLoss` is on.")
	a.Describe(&p.Volumes, "What the data of each node lie on, by its name, in words.")
	a.Describe(&p.LoadBalancers, "The load balancers of the cluster. With them, what answers at the address of one that is made, or of a new node, is refused, unless it is a machine of this package, or the load balancer or node is `external`.")
	a.Describe(&p.Etcd, "While a node is external: the etcd that Patroni of machines that are made uses. The cluster of the external nodes must have its keys there, below `keys`.")
	a.Describe(&p.ReplicatorPassword, "While a node is external: password of PostgreSQL's user `replicator`. With it and `superuserPassword`, the gate logs in to the leader, since another password would be noticed when the former machine is gone.")
	a.Describe(&p.Libraries, "While a node is external: libraries that PostgreSQL on machines that are made has, beside its own. The gate warns of others in the cluster's `shared_preload_libraries`.")
	a.Describe(&p.Parameters, "While a node is external: parameters of PostgreSQL that the cluster is to have after the last one was taken over. The gate warns of what changes then.")
	a.Describe(&p.Rebuilds, "A text for each node, by name, that changes when its machine will be rebuilt. With `skipHealthChecks` at most one may be changed or removed.")
}

// Annotate describes u.
func (u *Upgrade) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealthUpgrade")
	a.Describe(&u, "A major upgrade of PostgreSQL, in place.")
	a.Describe(&u.From, "Major version that the data have.")
	a.Describe(&u.To, "Major version that they come to have.")
	a.Describe(&u.Action, "What is asked for: `check` finds out whether the upgrade can be made, and changes nothing; `run` makes it; `revert` goes back to the data as they were before; `finish` deletes these.")
	a.Describe(&u.WithoutBackup, "Whether `run` needs no backup of the last 24 hours.")
	a.SetDefault(&u.WithoutBackup, false)
}

// Annotate describes u.
func (u *UpgradeFrom) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresHealthUpgradeFrom")
	a.Describe(&u, "A cluster that another one is filled from, and that one, each as its superuser.")
	a.Describe(&u.Source, "How to reach the cluster whose data come. The nodes of the other one use these endpoints too, with the certificate that they have for their Patroni.")
	a.Describe(&u.Target, "How to reach the cluster that is filled.")
}
