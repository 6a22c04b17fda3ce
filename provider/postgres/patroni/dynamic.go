package patroni

import "strings"

// dynamic is the configuration that the nodes share. Patroni keeps it in etcd,
// and looks at this copy only when it founds a cluster; see Settings. In JSON,
// null says that a running cluster is not to have the setting.
type dynamic struct {
	TTL                   int             `yaml:"ttl" json:"ttl"`
	LoopWait              int             `yaml:"loop_wait" json:"loop_wait"`
	RetryTimeout          int             `yaml:"retry_timeout" json:"retry_timeout"`
	PrimaryStartTimeout   int             `yaml:"primary_start_timeout" json:"primary_start_timeout"`
	PrimaryStopTimeout    int             `yaml:"primary_stop_timeout" json:"primary_stop_timeout"`
	SynchronousMode       bool            `yaml:"synchronous_mode" json:"synchronous_mode"`
	SynchronousModeStrict *bool           `yaml:"synchronous_mode_strict,omitempty" json:"synchronous_mode_strict"`
	SynchronousNodeCount  *int            `yaml:"synchronous_node_count,omitempty" json:"synchronous_node_count"`
	CheckTimeline         *bool           `yaml:"check_timeline,omitempty" json:"check_timeline"`
	MaximumLagOnFailover  *int            `yaml:"maximum_lag_on_failover,omitempty" json:"maximum_lag_on_failover"`
	Postgresql            dynamicPostgres `yaml:"postgresql" json:"postgresql"`

	// IgnoreSlots keeps Patroni from dropping the slots of logical replication, which others have made.
	IgnoreSlots []map[string]string `yaml:"ignore_slots,omitempty" json:"ignore_slots,omitempty"`

	// Restoration tells nodes that lose their data later that the restore by which the cluster was founded is done.
	Restoration string `yaml:"quorum_restoration,omitempty" json:"quorum_restoration,omitempty"`

	// StandbyCluster makes a standby of a cluster that is founded. One that runs has it changed, and never added: nodes of a
	// program that is late must not take the writes from a cluster that was promoted. What promotes it is in package health.
	StandbyCluster *standbyCluster `yaml:"standby_cluster,omitempty" json:"standby_cluster,omitempty"`
}

type dynamicPostgres struct {
	UsePgRewind bool            `yaml:"use_pg_rewind" json:"use_pg_rewind"`
	UseSlots    bool            `yaml:"use_slots" json:"use_slots"`
	Parameters  map[string]text `yaml:"parameters" json:"parameters"`
	PgHBA       []string        `yaml:"pg_hba" json:"pg_hba"`
}

func (c Config) dynamic() dynamic {
	p := c.Patroni
	d := dynamic{
		Restoration:         c.Restoration,
		TTL:                 *p.TTL,
		LoopWait:            *p.LoopWait,
		RetryTimeout:        *p.RetryTimeout,
		PrimaryStartTimeout: *p.PrimaryStartTimeout,
		PrimaryStopTimeout:  *p.PrimaryStopTimeout,
		SynchronousMode:     *p.IsSynchronous && c.Standby == nil, // Patroni 3.0 would find no synchronous standby to hand over to
		StandbyCluster:      c.standbyCluster(),
		Postgresql:          dynamicPostgres{UsePgRewind: *p.UsePgRewind, UseSlots: true, Parameters: c.parameters(), PgHBA: c.pgHBA()},
	}
	if c.isLogical() {
		d.IgnoreSlots = []map[string]string{{"type": "logical"}}
	}
	if d.SynchronousMode {
		s := p.synchronous()
		d.SynchronousModeStrict, d.SynchronousNodeCount = s.Strict, s.SynchronousNodeCount
		return d
	}
	yes, lag := true, p.maximumLag()
	d.CheckTimeline, d.MaximumLagOnFailover = &yes, &lag
	return d
}

// isLogical reports whether others may replicate from the cluster by logical replication.
func (c Config) isLogical() bool {
	for name, value := range c.Postgres.Params {
		if strings.EqualFold(name, "wal_level") {
			return strings.EqualFold(value, "logical")
		}
	}
	return false
}
