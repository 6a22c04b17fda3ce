// Package patroni configures a machine as a node of a PostgreSQL cluster that
// Patroni runs.
//
// A Config says what the node is; State gives the packages, files and services
// that make a machine so, and Settings what brings later changes of cluster
// settings into force. Nothing here talks to Pulumi or to a network.
package patroni

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
)

// Config describes one node.
type Config struct {
	Name     string   // of the machine, and of the node unless Patroni.Name has another
	IPs      []string // of the machine; the first is the one that the node serves on
	Postgres Postgres
	Patroni  Settings
	Etcd     host.EtcdConnection
	TLS      TLS
	Backup   *backup.Settings
	Restore  *backup.Restore
	Pool     *Pool // in front of PostgreSQL, if there is one
	Standby  *Standby
	Joins    bool // a cluster that others have made, and changes nothing of it

	KeptVolume bool   // whether the data volume is one that was there before
	From       string // version that the data have while they come to be of another, or empty

	Restoration string // id of that which the cluster is founded by, if it is
	DataBytes   int    // of the data volume; 0 if that is not known
	MemoryBytes int    // of the machine; 0 if that is not known
}

// Postgres is what concerns PostgreSQL itself, the same on each node.
type Postgres struct {
	Version            *string           `pulumi:"version,optional"`
	Params             map[string]string `pulumi:"params,optional"`
	Extensions         []string          `pulumi:"extensions,optional" json:",omitempty"`
	Access             []Access          `pulumi:"access,optional"`
	ReplicatorPassword string            `pulumi:"replicatorPassword" provider:"secret"`
	SuperuserPassword  string            `pulumi:"superuserPassword" provider:"secret"`
	RewindPassword     *string           `pulumi:"rewindPassword,optional" provider:"secret"`
}

// Settings are Patroni's own. All but the name are the same on each node.
type Settings struct {
	Scope                string        `pulumi:"scope"`
	Namespace            *string       `pulumi:"namespace,optional"`
	Name                 *string       `pulumi:"name,optional"`
	TTL                  *int          `pulumi:"ttl,optional"`
	LoopWait             *int          `pulumi:"loopWait,optional"`
	RetryTimeout         *int          `pulumi:"retryTimeout,optional"`
	PrimaryStartTimeout  *int          `pulumi:"primaryStartTimeout,optional"`
	PrimaryStopTimeout   *int          `pulumi:"primaryStopTimeout,optional"`
	Allowlist            []string      `pulumi:"allowlist,optional"`
	WatchdogMode         *WatchdogMode `pulumi:"watchdogMode,optional"`
	WatchdogSafetyMargin *int          `pulumi:"watchdogSafetyMargin,optional"`
	UsePgRewind          *bool         `pulumi:"usePgRewind,optional"`
	IsSynchronous        *bool         `pulumi:"isSynchronous,optional"`
	SynchronousSettings  *Synchronous  `pulumi:"synchronousSettings,optional"`
	AsynchronousSettings *Asynchronous `pulumi:"asynchronousSettings,optional"`
}

// WatchdogMode says what a node does without a watchdog.
type WatchdogMode string

// The modes, as Patroni names them.
const (
	Required  WatchdogMode = "required"
	Automatic WatchdogMode = "automatic"
	Off       WatchdogMode = "off"
)

// Synchronous says how synchronous replication is.
type Synchronous struct {
	Strict               *bool `pulumi:"strict,optional"`
	SynchronousNodeCount *int  `pulumi:"synchronousNodeCount,optional"`
}

// Asynchronous says what asynchronous replication may lose.
type Asynchronous struct {
	MaximumLagOnFailover *int `pulumi:"maximumLagOnFailover,optional"`
}

// TLS are the certificates of a node, PEM. PostgreSQL and Patroni's API share
// the server's.
type TLS struct {
	CACert     string `pulumi:"caCert"`
	ServerCert string `pulumi:"serverCert"`
	ServerKey  string `pulumi:"serverKey" provider:"secret"`
	ClientCert string `pulumi:"clientCert"`
	ClientKey  string `pulumi:"clientKey" provider:"secret"`
}

// Defaults are Patroni's own, but for those that put what is committed before
// what is available.
const (
	defaultNamespace    = "/service/"
	defaultTTLS         = 30
	defaultLoopWaitS    = 10
	defaultRetryS       = 10
	defaultStartS       = 300
	defaultStopS        = 0
	defaultSafetyMargin = 5
	defaultStrict       = true
	defaultSyncNodes    = 1
	defaultMaxLagBytes  = 1 << 20

	halfTTL = -1 // as a safety margin
)

// The users of PostgreSQL that Patroni logs in as.
const (
	superuser  = "postgres"
	replicator = "replicator"
	rewinder   = "rewind_user"
)

// node is the name of the node in its cluster.
func (c Config) node() string {
	if c.Patroni.Name != nil {
		return *c.Patroni.Name
	}
	return c.Name
}

func (s Settings) synchronous() Synchronous {
	if s.SynchronousSettings != nil {
		return *s.SynchronousSettings
	}
	strict, count := defaultStrict, defaultSyncNodes
	return Synchronous{&strict, &count}
}

// Standbys is how many other nodes a commit waits for.
func (s Settings) Standbys() int {
	if !*s.IsSynchronous {
		return 0
	}
	return *s.synchronous().SynchronousNodeCount
}

func (s Settings) maximumLag() int {
	if s.AsynchronousSettings != nil {
		return *s.AsynchronousSettings.MaximumLagOnFailover
	}
	return defaultMaxLagBytes
}

// watchdogTimeout is after how many seconds the watchdog resets the machine.
func (s Settings) watchdogTimeout() int {
	if *s.WatchdogSafetyMargin == halfTTL {
		return *s.TTL / 2
	}
	return *s.TTL - *s.WatchdogSafetyMargin
}
