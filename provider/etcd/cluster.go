package etcd

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// EtcdCluster is an etcd cluster, whose members change one at a time.
type EtcdCluster struct {
	pulumi.ResourceState

	Endpoints    pulumi.StringArrayOutput `pulumi:"endpoints"`
	ClientURLs   pulumi.StringOutput      `pulumi:"clientUrls"`
	CACert       pulumi.StringOutput      `pulumi:"caCert"`
	ClusterID    pulumi.StringOutput      `pulumi:"clusterId"`
	MemberIDs    pulumi.StringMapOutput   `pulumi:"memberIds"`
	MachineIDs   pulumi.StringMapOutput   `pulumi:"machineIds"`
	RootCert     pulumi.StringPtrOutput   `pulumi:"rootCert"`
	RootKey      pulumi.StringPtrOutput   `pulumi:"rootKey" provider:"secret"`
	RootPassword pulumi.StringPtrOutput   `pulumi:"rootPassword" provider:"secret"`

	BackupEncryptionKey pulumi.StringPtrOutput `pulumi:"backupEncryptionKey" provider:"secret"`
	BackupTimes         pulumi.StringMapOutput `pulumi:"backupTimes"`

	ClientGroupID  pulumi.StringPtrOutput `pulumi:"clientGroupId"`
	BastionGroupID pulumi.StringPtrOutput `pulumi:"bastionGroupId"`
}

// EtcdClusterArgs are the inputs of an EtcdCluster.
type EtcdClusterArgs struct {
	server.HostArgs

	Libvirt          *libvirt.Config          `pulumi:"libvirt,optional"`
	OpenStack        *openstack.Config        `pulumi:"openstack,optional"`
	Artifacts        map[string]host.Artifact `pulumi:"artifacts,optional"`
	Members          []EtcdClusterMachine     `pulumi:"members"`
	SecurityGroups   *EtcdSecurityGroupsArgs  `pulumi:"securityGroups,optional"`
	Etcd             *config.Settings         `pulumi:"etcd,optional"`
	InitialToken     *string                  `pulumi:"initialToken,optional"`
	RootPassword     *string                  `pulumi:"rootPassword,optional" provider:"secret"`
	CA               *server.CA               `pulumi:"ca,optional"`
	TrustedCACerts   []string                 `pulumi:"trustedCaCerts,optional"`
	Certificate      *server.Certificate      `pulumi:"certificate,optional"`
	TLS              *EtcdClusterTLS          `pulumi:"tls,optional" decides:"resources"`
	RecoverFrom      *string                  `pulumi:"recoverFrom,optional"`
	Backup           *backup.Settings         `pulumi:"backup,optional"`
	Restore          *backup.Restore          `pulumi:"restore,optional"`
	AllowDataLoss    *bool                    `pulumi:"allowDataLoss,optional"`
	Defragment       *string                  `pulumi:"defragment,optional"`
	SkipHealthChecks *bool                    `pulumi:"skipHealthChecks,optional"`
	EnableAuth       *bool                    `pulumi:"enableAuth,optional" decides:"resources"`
}

// EtcdClusterMachine is a member and the machine it is on.
type EtcdClusterMachine struct {
	Name      string            `pulumi:"name" decides:"resources"`
	IP        *string           `pulumi:"ip,optional"`
	External  *bool             `pulumi:"external,optional" decides:"resources"`
	TLS       *EtcdMemberTLS    `pulumi:"tls,optional" decides:"resources"`
	Libvirt   *libvirt.Config   `pulumi:"libvirt,optional"`
	OpenStack *openstack.Config `pulumi:"openstack,optional"`
}

// Shared says what members have of the cluster.
func (EtcdClusterArgs) Shared() []inputs.Shared { return []inputs.Shared{server.Alike("members")} }

const etcdClusterToken = "quorum:index:EtcdCluster"

func NewEtcdCluster(ctx *pulumi.Context, name string, in inputs.Inputs[EtcdClusterArgs], opts ...pulumi.ResourceOption) (*EtcdCluster, error) {
	c := &EtcdCluster{}
	children, err := server.Register(ctx, etcdClusterToken, name, c, opts)
	if err != nil {
		return nil, err
	}
	if err := warnOfQuota(ctx, in, in.Args.Etcd, c, in.Args.ownPaths(), in.Args.ownNames(), in.Args.ownBackends()...); err != nil {
		return nil, err
	}
	ca, err := authority(ctx, name, in, children)
	if err != nil {
		return nil, err
	}
	root, err := etcdRoot(ctx, name, in, ca, children)
	if err != nil {
		return nil, err
	}
	r := etcdRoll{cluster: name, in: in, ca: ca, root: root, opts: children}
	if err := r.group(ctx, c); err != nil {
		return nil, err
	}
	if err := r.encryptBackups(ctx); err != nil {
		return nil, err
	}
	healthy, err := r.roll(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.tellChanges(ctx, healthy); err != nil {
		return nil, err
	}
	// By way of the last gate: what needs them comes when the cluster is healthy.
	c.Endpoints, c.ClusterID, c.MemberIDs = healthy.Endpoints, healthy.ClusterID, healthy.MemberIDs
	c.ClientURLs = fault.Apply(healthy.Endpoints, clientURLs).(pulumi.StringOutput)
	c.MachineIDs = r.machines.ToStringMapOutput()
	c.CACert = healthy.afterGate(server.Unsecret(server.Trusted(in, ca.Cert)).ToStringPtrOutput()).Elem()
	c.RootCert, c.RootKey, c.RootPassword = healthy.afterGate(root.cert), healthy.afterGate(root.key), healthy.afterGate(root.password)
	r.outputBackups(c, healthy)
	return c, nil
}

// clientURLs are endpoints as etcd's own settings and etcdctl have them.
func clientURLs(endpoints []string) string {
	var all []string
	for _, endpoint := range endpoints {
		all = append(all, "https://"+endpoint)
	}
	return strings.Join(all, ",")
}

// server says what the i-th member is to be, and which inputs of the cluster that is.
// Its authority is one that the cluster is given, or makes.
func (a EtcdClusterArgs) server(i int) *inputs.Mapping[EtcdClusterArgs, memberArgs] {
	state := config.New // etcd-join sees whether there is a cluster to join
	s := memberArgs{EtcdServerArgs: EtcdServerArgs{
		CA: &server.CA{}, Cluster: config.Cluster{InitialState: &state, InitialMembers: make([]config.Member, len(a.Members))},
	}}
	m := inputs.Map(&a, &s)
	m.Same(&s, &a, &s.CA, &s.TLS, &s.Libvirt, &s.OpenStack)
	m.Same(&s, &a.Members[i], &s.TLS)
	a.takeTLS(m, &s, i)
	m.Take(&s.Cluster.InitialToken, &a.InitialToken)
	for j, other := range a.Members {
		founder := &s.Cluster.InitialMembers[j]
		m.Take(&founder.Name, &a.Members[j].Name)
		founder.IP = other.backend().IP()
		m.From(&founder.IP, other.backend().IPPaths(check.Index("members", j))[0])
	}
	if i == 0 && !a.isShared() {
		bootstrap := true
		s.Auth = &config.Auth{Bootstrap: &bootstrap}
		m.Take(&s.Auth.RootPassword, &a.RootPassword)
	}
	return m
}

func (a EtcdClusterArgs) ownBackends() (all []server.Backend) {
	for _, i := range a.own() {
		all = append(all, a.Members[i].backend())
	}
	return all
}

func (a EtcdClusterArgs) ownPaths() (all []string) {
	for _, i := range a.own() {
		all = append(all, check.Index("members", i))
	}
	return all
}

func (a EtcdClusterArgs) ownNames() (all []string) {
	for _, i := range a.own() {
		all = append(all, a.Members[i].Name)
	}
	return all
}

func (m EtcdClusterMachine) backend() server.Backend {
	return server.Backend{Libvirt: m.Libvirt, OpenStack: m.OpenStack}.Elsewhere(m.External, m.IP)
}

// server are the inputs of the i-th member.
func (r *etcdRoll) server(i int) inputs.Inputs[memberArgs] {
	made := r.ca.Inputs()
	if r.in.Args.TLS != nil {
		made = map[string]pulumi.Output{}
	}
	return inputs.Derive(r.in, r.in.Args.server(i), r.groups.Put(r.in.Args.Members[i].backend(), made))
}
