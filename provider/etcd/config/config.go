// Package config configures a machine as a member of an etcd cluster.
//
// A Config says what the member is; State gives the packages, files and
// services that make a machine so. Nothing here talks to Pulumi or to a network.
package config

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Config describes one etcd member.
type Config struct {
	Name     string   // of the member and of its machine
	IPs      []string // of the machine; the first is the one that etcd serves on
	Etcd     Settings
	Cluster  Cluster
	Auth     Auth
	TLS      TLS
	Artifact *host.Artifact // where the release comes from, if not from its publisher
	Recovery string         // id of the recovery that this member's data are for, if any
	Backups  backup.Config  // of it Backup, Restore, Chosen and Root
}

// Settings are etcd's own, the same on each member.
type Settings struct {
	Version                 *string         `pulumi:"version,optional"`
	AutoCompactionMode      *CompactionMode `pulumi:"autoCompactionMode,optional"`
	AutoCompactionRetention *string         `pulumi:"autoCompactionRetention,optional"`
	SpaceQuota              *int            `pulumi:"spaceQuota,optional"`
	HeartbeatInterval       *int            `pulumi:"heartbeatInterval,optional"`
	ElectionTimeout         *int            `pulumi:"electionTimeout,optional"`
	GRPCGatewayEnabled      *bool           `pulumi:"grpcGatewayEnabled,optional"`
	ClientCertAuth          *bool           `pulumi:"clientCertAuth,optional" decides:"resources"`
}

// CompactionMode is how etcd counts the history that it keeps.
type CompactionMode string

// The ways to count history.
const (
	Periodic CompactionMode = "periodic"
	Revision CompactionMode = "revision"
)

// Cluster says which cluster the member belongs to.
type Cluster struct {
	InitialState   *ClusterState `pulumi:"initialState,optional"`
	InitialToken   *string       `pulumi:"initialToken,optional"`
	InitialMembers []Member      `pulumi:"initialMembers"`
}

// ClusterState says whether a member founds a cluster or joins one.
type ClusterState string

// The states of a cluster that a member comes to.
const (
	New      ClusterState = "new"
	Existing ClusterState = "existing"
)

// Member is a member as the others know it.
type Member struct {
	Name string `pulumi:"name"`
	IP   string `pulumi:"ip"`
}

// Auth says whether this member, as the only one, turns authentication on.
type Auth struct {
	Bootstrap    *bool   `pulumi:"bootstrap,optional"`
	RootPassword *string `pulumi:"rootPassword,optional" provider:"secret"`
}

// TLS are the certificates of a member, PEM.
type TLS struct {
	CACert     string `pulumi:"caCert"`
	ServerCert string `pulumi:"serverCert"`
	ServerKey  string `pulumi:"serverKey" provider:"secret"`
}

// Defaults differ from etcd's own where a small cluster suffers from them.
const (
	defaultCompactionMode      = Revision
	defaultCompactionRetention = "1000"
	defaultHeartbeatMs         = 100
	defaultElectionMs          = 1000
	defaultGRPCGateway         = false
	defaultClientCertAuth      = true
	maxElectionMs              = 50000 // etcd refuses to start above it
)

// DefaultToken is for the clusters of who gives no other.
const DefaultToken = "etcd-cluster"

// WithDefaults is s, or what its absence means.
func (s *Settings) WithDefaults() Settings {
	if s != nil {
		return *s
	}
	mode, retention, quota := defaultCompactionMode, defaultCompactionRetention, MaxSpaceQuota
	heartbeat, election, gateway, certAuth := defaultHeartbeatMs, defaultElectionMs, defaultGRPCGateway, defaultClientCertAuth
	return Settings{
		AutoCompactionMode: &mode, AutoCompactionRetention: &retention, SpaceQuota: &quota,
		HeartbeatInterval: &heartbeat, ElectionTimeout: &election, GRPCGatewayEnabled: &gateway, ClientCertAuth: &certAuth,
	}
}

func (c Config) hasBackups() bool { return c.Backups.Backup != nil || c.Backups.Restore != nil }
func (c Config) certAuth() bool   { return *c.Etcd.ClientCertAuth }
func (c Config) bootstrap() bool  { return c.Auth.Bootstrap != nil && *c.Auth.Bootstrap }
