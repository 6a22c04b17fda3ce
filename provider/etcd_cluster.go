package provider

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/etcd"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/substrate/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/provider/substrate/openstack"
)

// EtcdCluster is an etcd cluster, whose members change one at a time.
type EtcdCluster struct {
	pulumi.ResourceState

	Endpoints    pulumi.StringArrayOutput `pulumi:"endpoints"`
	CACert       pulumi.StringOutput      `pulumi:"caCert"`
	ClusterID    pulumi.StringOutput      `pulumi:"clusterId"`
	MemberIDs    pulumi.StringMapOutput   `pulumi:"memberIds"`
	MachineIDs   pulumi.StringMapOutput   `pulumi:"machineIds"`
	RootCert     pulumi.StringPtrOutput   `pulumi:"rootCert"`
	RootKey      pulumi.StringPtrOutput   `pulumi:"rootKey" provider:"secret"`
	RootPassword pulumi.StringPtrOutput   `pulumi:"rootPassword" provider:"secret"`

	ClientGroupID  pulumi.StringPtrOutput `pulumi:"clientGroupId"`
	BastionGroupID pulumi.StringPtrOutput `pulumi:"bastionGroupId"`
}

// EtcdClusterArgs are the inputs of an EtcdCluster.
type EtcdClusterArgs struct {
	SSHAdminUser        *string                  `pulumi:"sshAdminUser,optional"`
	SSHAdminPublicKey   string                   `pulumi:"sshAdminPublicKey"`
	AdminUserPassword   *string                  `pulumi:"adminUserPassword,optional" provider:"secret"`
	InstallDependencies *bool                    `pulumi:"installDependencies,optional"`
	AptProxy            *string                  `pulumi:"aptProxy,optional"`
	Artifacts           map[string]host.Artifact `pulumi:"artifacts,optional"`
	Chrony              *host.Chrony             `pulumi:"chrony,optional"`
	Fluentbit           *host.Fluentbit          `pulumi:"fluentbit,optional"`
	Members             []EtcdClusterMachine     `pulumi:"members"`
	SecurityGroups      *EtcdSecurityGroupsArgs  `pulumi:"securityGroups,optional"`
	Etcd                *etcd.Settings           `pulumi:"etcd,optional"`
	InitialToken        *string                  `pulumi:"initialToken,optional"`
	RootPassword        *string                  `pulumi:"rootPassword,optional" provider:"secret"`
	CA                  *CA                      `pulumi:"ca,optional"`
	TrustedCACerts      []string                 `pulumi:"trustedCaCerts,optional"`
	Certificate         *Certificate             `pulumi:"certificate,optional"`
	RecoverFrom         *string                  `pulumi:"recoverFrom,optional"`
	AllowDataLoss       *bool                    `pulumi:"allowDataLoss,optional"`
	Defragment          *string                  `pulumi:"defragment,optional"`
	SkipHealthChecks    *bool                    `pulumi:"skipHealthChecks,optional"`
}

// EtcdClusterMachine is a member and the machine it is on.
type EtcdClusterMachine struct {
	Name      string            `pulumi:"name" decides:"resources"`
	Libvirt   *libvirt.Config   `pulumi:"libvirt,optional"`
	OpenStack *openstack.Config `pulumi:"openstack,optional"`
}

const etcdClusterToken = "quorum:index:EtcdCluster"

func newEtcdCluster(ctx *pulumi.Context, name string, in inputs.Inputs[EtcdClusterArgs], opts ...pulumi.ResourceOption) (*EtcdCluster, error) {
	c := &EtcdCluster{}
	if err := ctx.RegisterComponentResource(etcdClusterToken, name, c, opts...); err != nil {
		return nil, err
	}
	children, err := childOptions(c, opts)
	if err != nil {
		return nil, err
	}
	for _, warning := range in.Args.warnings() {
		if !in.Present("members") {
			break // how many there are is not known yet
		}
		if err := ctx.Log.Warn(warning, &pulumi.LogArgs{Resource: c}); err != nil {
			return nil, err
		}
	}
	if err := warnOfSpace(ctx, in, in.Args.Etcd, c, in.Args.sites()...); err != nil {
		return nil, err
	}
	ca, err := authority(ctx, name, in, in.Args.CA, children)
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
	healthy, err := r.roll(ctx)
	if err != nil {
		return nil, err
	}
	// By way of the last gate: what needs them comes when the cluster is healthy.
	c.Endpoints, c.ClusterID, c.MemberIDs = healthy.Endpoints, healthy.ClusterID, healthy.MemberIDs
	c.MachineIDs = r.machines.ToStringMapOutput()
	c.CACert = healthy.lets(unsecret(trusted(in, ca.Cert)).ToStringPtrOutput()).Elem()
	c.RootCert, c.RootKey, c.RootPassword = healthy.lets(root.cert), healthy.lets(root.key), healthy.lets(root.password)
	return c, nil
}

// server is what the i-th member is to be.
func (a EtcdClusterArgs) server(i int) EtcdServerArgs {
	state := etcd.New // etcd-join sees whether there is a cluster to join
	s := EtcdServerArgs{
		Name: &a.Members[i].Name, Libvirt: a.Members[i].Libvirt, OpenStack: a.Members[i].OpenStack,
		SSHAdminUser: a.SSHAdminUser, SSHAdminPublicKey: a.SSHAdminPublicKey, AdminUserPassword: a.AdminUserPassword,
		InstallDependencies: a.InstallDependencies, AptProxy: a.AptProxy, Artifacts: a.Artifacts, Chrony: a.Chrony, Fluentbit: a.Fluentbit,
		Etcd: a.Etcd, CA: &CA{}, TrustedCACerts: a.TrustedCACerts, Certificate: a.Certificate,
		Cluster: etcd.Cluster{InitialState: &state, InitialToken: a.InitialToken},
	}
	for _, m := range a.Members {
		s.Cluster.InitialMembers = append(s.Cluster.InitialMembers, etcd.Member{Name: m.Name, IP: m.site().ip()})
	}
	if i == 0 {
		bootstrap := true
		s.Auth = &etcd.Auth{Bootstrap: &bootstrap, RootPassword: a.RootPassword}
	}
	return s
}

func (a EtcdClusterArgs) sites() (all []site) {
	for _, m := range a.Members {
		all = append(all, m.site())
	}
	return all
}

func (m EtcdClusterMachine) site() site { return site{m.Libvirt, m.OpenStack} }

// shared are the inputs that all members have from their cluster.
var shared = []string{
	"sshAdminUser", "sshAdminPublicKey", "adminUserPassword", "installDependencies", "aptProxy", "artifacts", "chrony", "fluentbit", "etcd", "certificate", "trustedCaCerts",
}

// inputs are those of the i-th member.
func (r *etcdRoll) inputs(i int) inputs.Inputs[EtcdServerArgs] {
	at := fmt.Sprintf("members[%d].", i)
	from := map[string]string{"name": at + "name", "libvirt": at + "libvirt", "openstack": at + "openstack", "cluster.initialToken": "initialToken"}
	for _, same := range shared {
		from[same] = same
	}
	made := map[string]pulumi.Output{"ca.cert": r.ca.Cert, "ca.key": r.ca.Key}
	for j, m := range r.in.Args.Members {
		own, theirs := check.Index("cluster.initialMembers", j), check.Index("members", j)
		from[own+".name"], from[own+".ip"] = theirs+".name", m.site().ipPaths(theirs)[0]
	}
	return inputs.Derive(r.in, r.in.Args.server(i), from, r.groups.put(r.in.Args.Members[i].site(), made))
}
