package postgres

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/pgbouncer"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// PostgresCluster is a PostgreSQL cluster under Patroni, with load balancers,
// whose machines change one at a time.
type PostgresCluster struct {
	pulumi.ResourceState

	PrimaryEndpoints   pulumi.StringArrayOutput `pulumi:"primaryEndpoints"`
	ReplicaEndpoints   pulumi.StringArrayOutput `pulumi:"replicaEndpoints"`
	NodeEndpoints      pulumi.StringArrayOutput `pulumi:"nodeEndpoints"`
	PoolerPrimary      pulumi.StringArrayOutput `pulumi:"poolerPrimaryEndpoints"`
	PoolerReplica      pulumi.StringArrayOutput `pulumi:"poolerReplicaEndpoints"`
	CACert             pulumi.StringOutput      `pulumi:"caCert"`
	SuperuserPassword  pulumi.StringOutput      `pulumi:"superuserPassword" provider:"secret"`
	ReplicatorPassword pulumi.StringOutput      `pulumi:"replicatorPassword" provider:"secret"`
	ClientCert         pulumi.StringOutput      `pulumi:"clientCert"`
	ClientKey          pulumi.StringOutput      `pulumi:"clientKey" provider:"secret"`
	SystemID           pulumi.StringOutput      `pulumi:"systemId"`

	BackupStanza        pulumi.StringPtrOutput `pulumi:"backupStanza"`
	BackupEncryptionKey pulumi.StringPtrOutput `pulumi:"backupEncryptionKey" provider:"secret"`
	BackupTimes         pulumi.StringMapOutput `pulumi:"backupTimes"`
	MachineIDs          pulumi.StringMapOutput `pulumi:"machineIds"`
}

// PostgresClusterArgs are the inputs of a PostgresCluster.
type PostgresClusterArgs struct {
	server.HostArgs

	Libvirt           *libvirt.Config          `pulumi:"libvirt,optional"`
	OpenStack         *openstack.Config        `pulumi:"openstack,optional"`
	Nodes             []PostgresClusterMachine `pulumi:"nodes"`
	LoadBalancers     []PostgresClusterMachine `pulumi:"loadBalancers"`
	Etcd              host.EtcdConnection      `pulumi:"etcd"`
	Postgres          *PostgresClusterSettings `pulumi:"postgres,optional"`
	Patroni           patroni.Settings         `pulumi:"patroni"`
	Haproxy           *haproxy.Settings        `pulumi:"haproxy,optional"`
	ContainerRegistry *haproxy.Registry        `pulumi:"containerRegistry,optional"`
	Pooler            *pgbouncer.Settings      `pulumi:"pooler,optional"`
	VirtualIP         *ClusterVirtualIP        `pulumi:"virtualIp,optional"`
	DNS               *PostgresClusterDNS      `pulumi:"dns,optional"`
	CA                *server.CA               `pulumi:"ca,optional"`
	TrustedCACerts    []string                 `pulumi:"trustedCaCerts,optional"`
	Certificate       *server.Certificate      `pulumi:"certificate,optional"`
	Backup            *backup.Settings         `pulumi:"backup,optional"`
	Restore           *backup.Restore          `pulumi:"restore,optional"`
	StandbyOf         *patroni.Standby         `pulumi:"standbyOf,optional" json:",omitempty"`
	SkipHealthChecks  *bool                    `pulumi:"skipHealthChecks,optional"`
	AllowDataLoss     *bool                    `pulumi:"allowDataLoss,optional"`
	ApplyRestarts     *bool                    `pulumi:"applyPendingRestarts,optional" decides:"resources"`
	Upgrade           *ClusterUpgrade          `pulumi:"upgrade,optional" json:",omitempty"`
	ReindexCollations *bool                    `pulumi:"reindexCollations,optional" json:",omitempty"`
	UpgradeFrom       *ClusterUpgradeFrom      `pulumi:"upgradeFrom,optional" json:",omitempty"`
}

// PostgresClusterMachine is a node or load balancer and the machine it is on.
type PostgresClusterMachine struct {
	Name      string            `pulumi:"name" decides:"resources"`
	IP        *string           `pulumi:"ip,optional"`
	External  *bool             `pulumi:"external,optional" json:",omitempty" decides:"resources"`
	Libvirt   *libvirt.Config   `pulumi:"libvirt,optional"`
	OpenStack *openstack.Config `pulumi:"openstack,optional"`
}

// PostgresClusterSettings are those of PostgreSQL, for a cluster that makes its
// passwords.
type PostgresClusterSettings struct {
	Version            *string           `pulumi:"version,optional"`
	Params             map[string]string `pulumi:"params,optional"`
	Extensions         []string          `pulumi:"extensions,optional" json:",omitempty"`
	Access             []patroni.Access  `pulumi:"access,optional"`
	ReplicatorPassword *string           `pulumi:"replicatorPassword,optional" provider:"secret"`
	SuperuserPassword  *string           `pulumi:"superuserPassword,optional" provider:"secret"`
	RewindPassword     *string           `pulumi:"rewindPassword,optional" provider:"secret"`
}

// ClusterVirtualIP is an address that one of the load balancers has.
type ClusterVirtualIP struct {
	Address                 string `pulumi:"address"`
	VirtualRouterID         *int   `pulumi:"virtualRouterId,optional"`
	AdvertisementIntervalMs *int   `pulumi:"advertisementIntervalMs,optional"`
}

// PostgresClusterDNS is the zone that has the names of a cluster's machines.
type PostgresClusterDNS struct {
	Etcd        host.EtcdConnection `pulumi:"etcd"`
	KeyPrefix   *string             `pulumi:"keyPrefix,optional"`
	Domain      string              `pulumi:"domain"`
	Nameservers []string            `pulumi:"nameservers"`
}

// Shared says what nodes and load balancers have of the cluster.
func (PostgresClusterArgs) Shared() []inputs.Shared {
	return []inputs.Shared{server.Alike("nodes"), server.AlikeWithoutData("loadBalancers")}
}

const postgresClusterToken = "quorum:index:PostgresCluster"

func NewPostgresCluster(ctx *pulumi.Context, name string, in inputs.Inputs[PostgresClusterArgs], opts ...pulumi.ResourceOption) (*PostgresCluster, error) {
	c := &PostgresCluster{}
	children, err := server.Register(ctx, postgresClusterToken, name, c, opts)
	if err != nil {
		return nil, err
	}
	r := postgresRoll{cluster: name, self: c, in: in, opts: children}
	if err := r.identify(ctx); err != nil {
		return nil, err
	}
	if err := r.nameMachines(ctx); err != nil {
		return nil, err
	}
	if err := r.group(ctx); err != nil {
		return nil, err
	}
	healthy, err := r.roll(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.tellChanges(ctx, healthy); err != nil {
		return nil, err
	}
	c.PrimaryEndpoints, c.ReplicaEndpoints = r.endpoints(healthy, ports.Postgres), r.endpoints(healthy, ports.PostgresReplica)
	c.NodeEndpoints = r.nodeEndpoints(healthy)
	if in.Args.Pooler != nil {
		c.PoolerPrimary, c.PoolerReplica = r.endpoints(healthy, ports.Pooler), r.endpoints(healthy, ports.PoolerReplica)
	}
	c.CACert, c.ClientCert = healthy.afterGate(server.Unsecret(server.Trusted(in, r.ca.Cert))), healthy.afterGate(server.Unsecret(r.client.Cert))
	c.ClientKey = healthy.afterGate(r.client.Key)
	c.SuperuserPassword = healthy.afterGate(r.passwords[superuserPassword].ToStringOutput())
	c.ReplicatorPassword = healthy.afterGate(r.passwords[replicatorPassword].ToStringOutput())
	c.SystemID, c.MachineIDs = healthy.SystemID, r.machines.ToStringMapOutput()
	r.outputBackups(c, healthy)
	return c, nil
}

func (m PostgresClusterMachine) backend() server.Backend {
	return server.Backend{Libvirt: m.Libvirt, OpenStack: m.OpenStack}.Elsewhere(m.External, m.IP)
}

// machines are the nodes and the load balancers.
func (a PostgresClusterArgs) machines() []PostgresClusterMachine {
	return append(a.Nodes[:len(a.Nodes):len(a.Nodes)], a.LoadBalancers...)
}
