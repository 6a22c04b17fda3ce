package patroni

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated          = (*Postgres)(nil)
	_ infer.Annotated          = (*Settings)(nil)
	_ infer.Annotated          = (*Synchronous)(nil)
	_ infer.Annotated          = (*Asynchronous)(nil)
	_ infer.Annotated          = (*TLS)(nil)
	_ infer.Enum[WatchdogMode] = WatchdogMode("")
)

// Annotate describes p.
func (p *Postgres) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresSettings")
	a.Describe(&p, "PostgreSQL's own settings, the same on each node.")
	a.Describe(&p.Version, "Major version of PostgreSQL, from 14 on, like 17, to take from the PostgreSQL project's own apt repository, and Patroni with it. Without it, both are the distribution's. Data of another version is refused: a major upgrade is not made.")
	a.Describe(&p.Params, "Parameters of PostgreSQL by name: https://www.postgresql.org/docs/current/runtime-config.html. They are all that the cluster has beyond its defaults: a change reaches the running cluster, and a parameter that is taken away goes back to its default. Some take effect when PostgreSQL is restarted, which is left to `patronictl restart --pending`.")
	a.Describe(&p.ReplicatorPassword, "Password of the user `replicator`, as whom nodes replicate. A change reaches the running cluster.")
	a.Describe(&p.SuperuserPassword, "Password of the user `postgres`. A change reaches the running cluster.")
	a.Describe(&p.RewindPassword, "Password of the user `rewind_user`, as whom pg_rewind logs in, with just the rights that it needs. Without it, pg_rewind is a superuser.")
}

// Annotate describes s.
func (s *Settings) Annotate(a infer.Annotator) {
	a.SetToken("index", "PatroniSettings")
	a.Describe(&s, "Patroni's settings. Each has the name and meaning that Patroni gives it: https://patroni.readthedocs.io/en/latest/dynamic_configuration.html. Give each node of a cluster the same, but for `name`.")
	a.Describe(&s.Scope, "Name of the cluster, of letters, digits, `-`, `_` and `.`, like main.")
	a.Describe(&s.Namespace, "Prefix of the keys in etcd under which clusters lie. It must begin with /.")
	a.SetDefault(&s.Namespace, defaultNamespace)
	a.Describe(&s.Name, "Name of the node in its cluster. Defaults to the name of the machine.")
	a.Describe(&s.TTL, "Seconds after which the leader's lock ends, if it is not renewed: at least 20.")
	a.SetDefault(&s.TTL, defaultTTLS)
	a.Describe(&s.LoopWait, "Seconds between two looks at the cluster.")
	a.SetDefault(&s.LoopWait, defaultLoopWaitS)
	a.Describe(&s.RetryTimeout, "Seconds for which etcd or PostgreSQL may fail before a leader steps down: at least 3. `loopWait` and twice this must fit into `ttl`.")
	a.SetDefault(&s.RetryTimeout, defaultRetryS)
	a.Describe(&s.PrimaryStartTimeout, "Seconds that a failed primary has to come back before another node takes over.")
	a.SetDefault(&s.PrimaryStartTimeout, defaultStartS)
	a.Describe(&s.PrimaryStopTimeout, "Seconds that PostgreSQL has to stop, with synchronous replication, before it is killed. 0 for no limit.")
	a.SetDefault(&s.PrimaryStopTimeout, defaultStopS)
	a.Describe(&s.WatchdogMode, "What a node does without a watchdog, which resets the machine when Patroni hangs: `required` never leads, `automatic` leads all the same, `off` uses none. The kernel's softdog is loaded where the machine has no other.")
	a.SetDefault(&s.WatchdogMode, Required)
	a.Describe(&s.WatchdogSafetyMargin, "Seconds before the end of `ttl` at which the watchdog resets the machine. -1 is half of `ttl`, which is safe even when Patroni is halted at the worst moment. What is left must be `loopWait` and `retryTimeout` at least, or an etcd that is away resets the leader's machine.")
	a.SetDefault(&s.WatchdogSafetyMargin, defaultSafetyMargin)
	a.Describe(&s.UsePgRewind, "Whether a former leader whose data has parted ways joins again by pg_rewind. What only it had is lost; with synchronous replication no client was told that it is safe. Without it, such a node waits for an operator.")
	a.SetDefault(&s.UsePgRewind, true)
	a.Describe(&s.IsSynchronous, "Whether a commit waits until other nodes have it too.")
	a.SetDefault(&s.IsSynchronous, true)
	a.Describe(&s.SynchronousSettings, "How synchronous replication is. Only with `isSynchronous: true`.")
	a.Describe(&s.AsynchronousSettings, "What asynchronous replication may lose. Only with `isSynchronous: false`.")
}

// Annotate describes s.
func (s *Synchronous) Annotate(a infer.Annotator) {
	a.SetToken("index", "PatroniSynchronousSettings")
	a.Describe(&s, "How synchronous replication is: https://patroni.readthedocs.io/en/latest/replication_modes.html")
	a.Describe(&s.Strict, "Whether writes wait when too few other nodes are there. With false they go on, and may be lost with the leader.")
	a.SetDefault(&s.Strict, defaultStrict)
	a.Describe(&s.SynchronousNodeCount, "Number of other nodes that a commit waits for: less than the number of nodes.")
	a.SetDefault(&s.SynchronousNodeCount, defaultSyncNodes)
}

// Annotate describes s.
func (s *Asynchronous) Annotate(a infer.Annotator) {
	a.SetToken("index", "PatroniAsynchronousSettings")
	a.Describe(&s, "What asynchronous replication may lose: https://patroni.readthedocs.io/en/latest/replication_modes.html")
	a.Describe(&s.MaximumLagOnFailover, "Bytes that a node may lack and still become leader.")
	a.SetDefault(&s.MaximumLagOnFailover, defaultMaxLagBytes)
}

// Annotate describes t.
func (t *TLS) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresTls")
	a.Describe(&t, "Ready-made certificates of a node.")
	a.Describe(&t.CACert, "Certificate, PEM, of the authority that signs the certificates of nodes and of clients of Patroni's API.")
	a.Describe(&t.ServerCert, "Certificate of PostgreSQL and of Patroni's API, PEM, followed by those between it and the authority: for server authentication, and for the first address of the machine.")
	a.Describe(&t.ServerKey, "Private key of `serverCert`, PEM.")
	a.Describe(&t.ClientCert, "Certificate that the node presents to Patroni's API of other nodes and its own, PEM: for client authentication.")
	a.Describe(&t.ClientKey, "Private key of `clientCert`, PEM.")
}

// Values lists the modes.
func (WatchdogMode) Values() []infer.EnumValue[WatchdogMode] {
	return []infer.EnumValue[WatchdogMode]{
		{Name: "Required", Value: Required, Description: "Without a watchdog the node never leads."},
		{Name: "Automatic", Value: Automatic, Description: "A watchdog is used if there is one."},
		{Name: "Off", Value: Off, Description: "No watchdog is used."},
	}
}
