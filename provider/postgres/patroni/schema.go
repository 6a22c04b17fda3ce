package patroni

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated          = (*Postgres)(nil)
	_ infer.Annotated          = (*Access)(nil)
	_ infer.Annotated          = (*Settings)(nil)
	_ infer.Annotated          = (*Synchronous)(nil)
	_ infer.Annotated          = (*Asynchronous)(nil)
	_ infer.Annotated          = (*TLS)(nil)
	_ infer.Enum[WatchdogMode] = WatchdogMode("")
	_ infer.Enum[AccessMethod] = AccessMethod("")
)

// What is said of the inputs of a node and of a cluster.
const (
	AboutAccess     = "Who may connect over the network: rules in the order in which PostgreSQL tries them, for Patroni's `postgresql.pg_hba`. All connections use TLS. Without any rule, every user with a password may connect to every database, except `postgres`. Nodes connect as `postgres`, `replicator` and `rewind_user` with a certificate of their authority and the password; nobody else may, except as `postgres` where a rule names it. On the nodes themselves, `sudo -u postgres psql` always works. A change is applied to the running cluster, and leaves open connections alone."
	AboutExtensions = "Extensions that databases are to have, by their names in `CREATE EXTENSION`, like vector or postgis: what they need is installed on each node, and what PostgreSQL has to load when it starts becomes part of `shared_preload_libraries`, beside what `params` says. In a database, `CREATE EXTENSION` is yours to say. Those that do not come with PostgreSQL itself need `version`. docs/postgres-extensions.md lists those that are known, and says what happens when one is removed."
	AboutPresets    = "Preset, unless given: `log_connections: on`, `log_lock_waits: on`, `max_slot_wal_keep_size` as half of `dataVolume.size` (a replication slot, of a standby or of logical replication, for which the leader would have to retain more WAL is invalidated, before the disk is full), `tcp_keepalives_idle: 60`, `tcp_keepalives_interval: 10` and `tcp_keepalives_count: 6` (a client that is gone is noticed within two minutes). Following from the machine, unless given: `shared_buffers`, a quarter of its memory; `effective_cache_size`, three quarters; `maintenance_work_mem`, a sixteenth, at most 2 GB; `work_mem`, a quarter divided by `max_connections`; `max_wal_size`, a tenth of the volume, from 256 MB to 8 GB, and `min_wal_size`, a quarter of that; `max_parallel_workers`, its processors; `max_parallel_workers_per_gather` and `max_parallel_maintenance_workers`, half of them, at most 4. A node finds them when Patroni starts."
)

// Annotate describes p.
func (p *Postgres) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresSettings")
	a.Describe(&p, "PostgreSQL's own settings, the same on each node.")
	a.Describe(&p.Version, "Major version of PostgreSQL, from 14 on, like 17, to install from the PostgreSQL project's own apt repository, with Patroni. Without it, both are the distribution's. The machine refuses data of another version: major upgrades are not supported.")
	a.Describe(&p.Params, "Parameters of PostgreSQL by name: https://www.postgresql.org/docs/current/runtime-config.html. Names that the version does not have, values that it does not take, and more memory than the machine has are refused, and so are `fsync: off`, `full_page_writes: off`, `password_encryption: md5`, and `synchronous_commit: off` or `local` with synchronous replication. They become `postgresql.parameters` of Patroni's dynamic configuration. A change is applied to the running cluster, and a removed parameter returns to its default. "+AboutPresets+" Parameters that need a restart of PostgreSQL take effect after `patronictl restart --pending`.")
	a.Describe(&p.Extensions, AboutExtensions+" A library that is loaded when PostgreSQL starts takes effect after `patronictl restart --pending`.")
	a.Describe(&p.Access, AboutAccess)
	a.Describe(&p.ReplicatorPassword, "Password of the user `replicator`, which nodes use for replication. A change is applied to the running cluster.")
	a.Describe(&p.SuperuserPassword, "Password of the user `postgres`. A change is applied to the running cluster.")
	a.Describe(&p.RewindPassword, "Password of the user `rewind_user`, which pg_rewind uses, with only the permissions that it needs. Without it, pg_rewind uses the superuser.")
}

// Annotate describes c.
func (c *Access) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresAccess")
	a.Describe(&c, "A rule of who may connect over the network: lines of pg_hba.conf, https://www.postgresql.org/docs/current/auth-pg-hba-conf.html. Clients of a load balancer have the load balancer's address.")
	a.Describe(&c.Databases, "Names of databases, or `all`, `sameuser`, `samerole` or `replication`. Defaults to `all`.")
	a.Describe(&c.Users, "Names of users, or `all`; +name for the members of a role. `all` does not include `postgres`. Defaults to `all`.")
	a.Describe(&c.Networks, "Networks that clients connect from, like 10.0.0.0/24. Defaults to every address.")
	a.Describe(&c.Method, "How clients prove who they are.")
	a.SetDefault(&c.Method, Scram)
}

// Annotate describes s.
func (s *Settings) Annotate(a infer.Annotator) {
	a.SetToken("index", "PatroniSettings")
	a.Describe(&s, "Patroni's settings, the same on each node of a cluster except `name`. Most become keys of Patroni's dynamic configuration: https://patroni.readthedocs.io/en/latest/dynamic_configuration.html.")
	a.Describe(&s.Scope, "Patroni's `scope`: the name of the cluster, of letters, digits, `-`, `_` and `.`, like main.")
	a.Describe(&s.Namespace, "Patroni's `namespace`: the prefix of its keys in etcd. It must begin with /.")
	a.SetDefault(&s.Namespace, defaultNamespace)
	a.Describe(&s.Name, "Patroni's `name`: the name of the node in its cluster. Defaults to the name of the machine.")
	a.Describe(&s.TTL, "Patroni's `ttl`: seconds after which the leader key in etcd expires if it is not renewed, from 20 to 3600.")
	a.SetDefault(&s.TTL, defaultTTLS)
	a.Describe(&s.LoopWait, "Patroni's `loop_wait`: seconds between two runs of its main loop, at least 1.")
	a.SetDefault(&s.LoopWait, defaultLoopWaitS)
	a.Describe(&s.RetryTimeout, "Patroni's `retry_timeout`: seconds for which it retries etcd and PostgreSQL before the leader steps down, at least 3. `loopWait` and twice `retryTimeout` must be at most `ttl`.")
	a.SetDefault(&s.RetryTimeout, defaultRetryS)
	a.Describe(&s.PrimaryStartTimeout, "Patroni's `primary_start_timeout`: seconds that a failed primary has to recover before Patroni fails over, at most 86400 (a day).")
	a.SetDefault(&s.PrimaryStartTimeout, defaultStartS)
	a.Describe(&s.PrimaryStopTimeout, "Patroni's `primary_stop_timeout`: seconds that the primary has to stop, with synchronous replication, before it is killed, at most 86400 (a day). 0 for no limit.")
	a.SetDefault(&s.PrimaryStopTimeout, defaultStopS)
	a.Describe(&s.Allowlist, "Patroni's `restapi.allowlist`: addresses and networks, like 10.0.0.0/24, that may give it orders (PATCH, POST, PUT and DELETE), beside the nodes. Include where Pulumi runs: it switches over and restarts nodes in updates. Orders need a client certificate of the nodes' authority in any case; reading needs none. Without this they may come from anywhere.")
	a.Describe(&s.WatchdogMode, "Patroni's `watchdog.mode`. A watchdog resets the machine when Patroni hangs. `required`: a node without one never becomes leader; `automatic`: a watchdog is used if there is one; `off`: none is used. The kernel's softdog is loaded if the machine has no other.")
	a.SetDefault(&s.WatchdogMode, Required)
	a.Describe(&s.WatchdogSafetyMargin, "Patroni's `watchdog.safety_margin`: seconds before the end of `ttl` at which the watchdog resets the machine. -1 is half of `ttl`, which is safe even if Patroni hangs right before it renews the leader key. `ttl` minus the margin must be at least `loopWait` and `retryTimeout`; otherwise an outage of etcd would reset the leader's machine.")
	a.SetDefault(&s.WatchdogSafetyMargin, defaultSafetyMargin)
	a.Describe(&s.UsePgRewind, "Patroni's `postgresql.use_pg_rewind`: whether a former leader whose data have diverged rejoins by pg_rewind. Transactions that only it had are lost; with synchronous replication none of these was acknowledged. Without it, such a node must be repaired by hand.")
	a.SetDefault(&s.UsePgRewind, true)
	a.Describe(&s.IsSynchronous, "Patroni's `synchronous_mode`: whether a commit waits until other nodes have it too.")
	a.SetDefault(&s.IsSynchronous, true)
	a.Describe(&s.SynchronousSettings, "Settings of synchronous replication. Only with `isSynchronous: true`.")
	a.Describe(&s.AsynchronousSettings, "Settings of asynchronous replication. Only with `isSynchronous: false`.")
}

// Annotate describes s.
func (s *Synchronous) Annotate(a infer.Annotator) {
	a.SetToken("index", "PatroniSynchronousSettings")
	a.Describe(&s, "Settings of synchronous replication: https://patroni.readthedocs.io/en/latest/replication_modes.html")
	a.Describe(&s.Strict, "Patroni's `synchronous_mode_strict`: whether writes wait while no synchronous standby is available. With false they continue, and may be lost with the leader.")
	a.SetDefault(&s.Strict, defaultStrict)
	a.Describe(&s.SynchronousNodeCount, "Patroni's `synchronous_node_count`: number of other nodes that a commit waits for, less than the number of nodes.")
	a.SetDefault(&s.SynchronousNodeCount, defaultSyncNodes)
}

// Annotate describes s.
func (s *Asynchronous) Annotate(a infer.Annotator) {
	a.SetToken("index", "PatroniAsynchronousSettings")
	a.Describe(&s, "Settings of asynchronous replication: https://patroni.readthedocs.io/en/latest/replication_modes.html")
	a.Describe(&s.MaximumLagOnFailover, "Patroni's `maximum_lag_on_failover`: bytes that a node may be behind and still become leader.")
	a.SetDefault(&s.MaximumLagOnFailover, defaultMaxLagBytes)
}

// Annotate describes t.
func (t *TLS) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresTls")
	a.Describe(&t, "Ready-made certificates of a node.")
	a.Describe(&t.CACert, "Certificate, PEM, of the authority that signs the certificates of nodes and of clients of Patroni's API.")
	a.Describe(&t.ServerCert, "Certificate of PostgreSQL and of Patroni's REST API, PEM, followed by the intermediate certificates. It must have the usage server authentication, and name the first address of the machine. It becomes `ssl_cert_file` and `restapi.certfile`.")
	a.Describe(&t.ServerKey, "Private key of `serverCert`, PEM.")
	a.Describe(&t.ClientCert, "Client certificate, PEM, that the node presents to Patroni's REST API of other nodes and its own: `ctl.certfile`. It must have the usage client authentication.")
	a.Describe(&t.ClientKey, "Private key of `clientCert`, PEM.")
}

// Values lists the methods.
func (AccessMethod) Values() []infer.EnumValue[AccessMethod] {
	return []infer.EnumValue[AccessMethod]{
		{Name: "Scram", Value: Scram, Description: "By password."},
		{Name: "Cert", Value: Cert, Description: "By a certificate of the nodes' authority, whose common name is the user's."},
		{Name: "Reject", Value: Reject, Description: "They are refused."},
	}
}

// Values lists the modes.
func (WatchdogMode) Values() []infer.EnumValue[WatchdogMode] {
	return []infer.EnumValue[WatchdogMode]{
		{Name: "Required", Value: Required, Description: "Without a watchdog the node never becomes leader."},
		{Name: "Automatic", Value: Automatic, Description: "A watchdog is used if there is one."},
		{Name: "Off", Value: Off, Description: "No watchdog is used."},
	}
}
