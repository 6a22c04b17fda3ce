package admin

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// HealthArgs are the inputs of a Health.
type HealthArgs struct {
	Etcd               host.EtcdConnection `pulumi:"etcd"`
	Members            []HealthMember      `pulumi:"members"`
	Require            *Requirement        `pulumi:"require,optional"`
	Without            *string             `pulumi:"without,optional"`
	RemoveOthers       *bool               `pulumi:"removeOthers,optional"`
	AllowDataLoss      *bool               `pulumi:"allowDataLoss,optional"`
	Data               map[string]string   `pulumi:"data,optional"`
	Volumes            map[string]string   `pulumi:"volumes,optional"`
	Recovery           *string             `pulumi:"recovery,optional"`
	Version            *string             `pulumi:"version,optional"`
	Authority          *string             `pulumi:"authority,optional"`
	Triggers           map[string]string   `pulumi:"triggers,optional"`
	Defragment         *string             `pulumi:"defragment,optional"`
	SkipHealthChecks   *bool               `pulumi:"skipHealthChecks,optional"`
	Repository         *string             `pulumi:"repository,optional"`
	EncryptionKeyGiven *bool               `pulumi:"encryptionKeyGiven,optional"`
	EnableAuth         *bool               `pulumi:"enableAuth,optional"`
}

// HealthMember is a member that has to be healthy.
type HealthMember struct {
	Name       string  `pulumi:"name"`
	IP         string  `pulumi:"ip"`
	Generation *string `pulumi:"generation,optional"`
	External   *bool   `pulumi:"external,optional"`
}

// Requirement is how much of a cluster has to be healthy.
type Requirement string

// The requirements.
const (
	All    Requirement = "all"
	Quorum Requirement = "quorum"
)

// HealthState is what is kept of a Health.
type HealthState struct {
	HealthArgs
	ClusterID     string            `pulumi:"clusterId"`
	Revision      int               `pulumi:"revision,optional"`
	Identity      string            `pulumi:"identity,optional"`
	Updates       int               `pulumi:"updates,optional"`
	MemberIDs     map[string]string `pulumi:"memberIds,optional"`
	Endpoints     []string          `pulumi:"endpoints,optional"`
	Left          []HealthMember    `pulumi:"left,optional"`
	LeftAt        int               `pulumi:"leftAt,optional"`
	Joining       []string          `pulumi:"joining,optional"`
	RootPasswords []string          `pulumi:"rootPasswords,optional" provider:"secret"`
	BackupTimes   map[string]string `pulumi:"backupTimes,optional"`
}
