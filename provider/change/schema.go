package change

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Machine)(nil)
	_ infer.Annotated = (*MachineArgs)(nil)
	_ infer.Annotated = (*Data)(nil)
	_ infer.Annotated = (*DataArgs)(nil)
	_ infer.Annotated = (*Identity)(nil)
	_ infer.Annotated = (*IdentityArgs)(nil)
	_ infer.Annotated = (*IdentityState)(nil)
	_ infer.Annotated = (*Cluster)(nil)
	_ infer.Annotated = (*ClusterArgs)(nil)
)

const (
	aboutSettings  = "What the program has set, by the path of the input, as it is shown when it changes. It has no secrets."
	aboutSecrets   = "The same of what is secret: hashes, by which a change is seen."
	aboutRestarts  = "Those of `settings` whose changes have no effect before PostgreSQL is restarted."
	aboutRestartBy = "How PostgreSQL is restarted on all nodes that need it."
)

// Annotate describes m.
func (m *Machine) Annotate(a infer.Annotator) {
	a.SetToken("index", "MachineChange")
	a.Describe(&m, "Shows in previews and updates what a change does to a running machine: `rebuild` (a machine or disk is replaced), `restart` (of a service or the machine) or `live` (no interruption). Each server has one as a child. In a cluster the ClusterChange shows it for all machines. It changes nothing itself.")
}

// Annotate describes a.
func (m *MachineArgs) Annotate(a infer.Annotator) {
	a.Describe(&m.Effects, "Possible effects on the machine, each with a text that changes when the effect occurs.")
	a.Describe(&m.Machine, "Name of the machine. Defaults to that of the resource.")
	a.Describe(&m.Cluster, "Name of the ClusterChange of the cluster that the machine belongs to, which shows what happens to it.")
	a.Describe(&m.Data, "Identifies the storage of the machine's data: when it changes, they are lost.")
	a.Describe(&m.Volume, "What the data of the machine lie on, in words.")
	a.Describe(&m.MachineID, "Id of the machine on its hypervisor, by which it is seen that another one was made.")
	a.Describe(&m.DataID, "Id of what the data of the machine lie on.")
	a.Describe(&m.Settings, aboutSettings)
	a.Describe(&m.SecretSettings, aboutSecrets)
	a.Describe(&m.RestartSettings, aboutRestarts)
	a.Describe(&m.RestartCommand, aboutRestartBy)
}

// Annotate describes d.
func (d *Data) Annotate(a infer.Annotator) {
	a.SetToken("index", "DataGuard")
	a.Describe(&d, "Refuses an update that deletes the data of a machine outside of a cluster, in preview too, unless the program allows it. Each EtcdServer and PostgresServer has one as a child. It changes nothing itself.")
}

// Annotate describes d.
func (d *DataArgs) Annotate(a infer.Annotator) {
	a.Describe(&d.Machine, "Name of the machine.")
	a.Describe(&d.Data, "Identifies the storage of the machine's data: when it changes, they are lost.")
	a.Describe(&d.Volume, "What the data of the machine lie on, in words.")
	a.Describe(&d.AllowDataLoss, "Whether the machine may lose its data.")
	a.SetDefault(&d.AllowDataLoss, false)
}

// Annotate describes i.
func (i *Identity) Annotate(a infer.Annotator) {
	a.SetToken("index", "MachineIdentity")
	a.Describe(&i, "Keeps apart what makes another machine of one, and what reaches a running machine: its SSH key and its DNS servers. Each server on libvirt whose drive can be swapped has one as a child. It changes nothing itself.")
}

// Annotate describes i.
func (i *IdentityArgs) Annotate(a infer.Annotator) {
	a.Describe(&i.Hash, "Hash of what only a fresh machine reads, without its SSH key and DNS servers.")
	a.Describe(&i.Formerly, "The same hash with them.")
	a.Describe(&i.Login, "The SSH key by which `sshAdminUser` logs in.")
	a.Describe(&i.Resolvers, "The DNS servers of the machine's interfaces, a line for each interface.")
}

// Annotate describes i.
func (i *IdentityState) Annotate(a infer.Annotator) {
	a.Describe(&i.Identity, "Names the machine: `formerly`, as it was when the machine was made.")
	a.Describe(&i.Identities, "The identities that the machine has had, by `hash`.")
	a.Describe(&i.FormerLogins, "Fingerprints of the SSH keys that the machine was given before. They are removed from it.")
	a.Describe(&i.ResolversChanged, "Whether the DNS servers have changed since the first update with this resource.")
}

// Annotate describes c.
func (c *Cluster) Annotate(a infer.Annotator) {
	a.SetToken("index", "ClusterChange")
	a.Describe(&c, "Shows in previews and updates what a change does to a cluster: which settings change, from what to what, and what happens to which machine, in which order. Each cluster has one as a child. It changes nothing itself.")
}

// Annotate describes c.
func (c *ClusterArgs) Annotate(a infer.Annotator) {
	a.Describe(&c.Members, "Names of the members or nodes, in the order in which they change.")
	a.Describe(&c.LoadBalancers, "Names of the load balancers, which change after the nodes, in this order.")
	a.Describe(&c.External, "Names of those whose machines are somebody else's.")
	a.Describe(&c.Service, "Service whose leader hands over before it restarts: etcd.service or patroni.service.")
	a.Describe(&c.Settings, aboutSettings)
	a.Describe(&c.SecretSettings, aboutSecrets)
	a.Describe(&c.RestartSettings, aboutRestarts)
	a.Describe(&c.RestartCommand, aboutRestartBy)
	a.Describe(&c.LeaderFirst, "Settings that the leader has to lower before its replicas do, by their paths, with the database's defaults: where an update restarts the database.")
}
