package patroni

import "github.com/pulumi/pulumi-go-provider/infer"

var _ infer.Annotated = (*Standby)(nil)

// AboutStandby is what is said of the input.
const AboutStandby = "Another PostgreSQL cluster, in another place, of which this one is a standby: Patroni's `standby_cluster`. It is founded as a copy of that cluster and follows it, and its leader takes no writes. Taking it out promotes this cluster. It cannot be added to a cluster that exists. docs/postgres-standby.md has the steps."

// Annotate describes s.
func (s *Standby) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresStandby")
	a.Describe(&s, "The cluster that a standby cluster copies and follows: by `endpoints`, by `backup`, or both.")
	a.Describe(&s.Endpoints, "Addresses or names of the source with one port, like `nodeEndpoints` or `primaryEndpoints` of its PostgresCluster: `host` and `port` of Patroni's `standby_cluster`. The first that answers is followed, which may be a replica. The certificates there must name them.")
	a.Describe(&s.PrimarySlotName, "Patroni's `primary_slot_name`: a physical replication slot of the source, which retains the WAL that this cluster has not received yet. It must be among `slots` of the source's Patroni. Without one, and without `backup`, this cluster must be founded anew when it was cut off for longer than the source retains WAL.")
	a.Describe(&s.Backup, "The source's backups and archive of WAL: Patroni's `restore_command` and `create_replica_methods` of `standby_cluster`. The cluster is then copied from there, and gets WAL there that the source does not send. Without `endpoints` it needs no connection to the source, and is behind by up to its `backup.archiveTimeout`.")
}
