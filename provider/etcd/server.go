// Package etcd has the machines of etcd: an EtcdServer is one, an EtcdCluster all of
// its members, which change one after the other behind gates.
//
// What the machines are to be is in config; what asks a cluster is in admin.
package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// EtcdServer is a machine that is a member of an etcd cluster.
type EtcdServer struct {
	pulumi.ResourceState

	Name       pulumi.StringOutput `pulumi:"name"`
	IP         pulumi.StringOutput `pulumi:"ip"`
	Endpoint   pulumi.StringOutput `pulumi:"endpoint"`
	CACert     pulumi.StringOutput `pulumi:"caCert"`
	ServerCert pulumi.StringOutput `pulumi:"serverCert"`
	MachineID  pulumi.StringOutput `pulumi:"machineId"`
	Generation pulumi.StringOutput `pulumi:"generation"`

	data, drive pulumi.StringOutput // ids of what its data lie on, and of what hands it its settings
	last        []pulumi.Resource   // of its machine
}

// EtcdServerArgs are the inputs of an EtcdServer.
type EtcdServerArgs struct {
	server.ServerArgs

	Artifacts      map[string]host.Artifact `pulumi:"artifacts,optional"`
	Etcd           *config.Settings         `pulumi:"etcd,optional"`
	Cluster        config.Cluster           `pulumi:"cluster"`
	Auth           *config.Auth             `pulumi:"auth,optional"`
	TLS            *config.TLS              `pulumi:"tls,optional"`
	CA             *server.CA               `pulumi:"ca,optional"`
	TrustedCACerts []string                 `pulumi:"trustedCaCerts,optional"`
	Certificate    *server.Certificate      `pulumi:"certificate,optional"`
	AllowDataLoss  *bool                    `pulumi:"allowDataLoss,optional" json:"-"`
}

const (
	etcdServerToken = "quorum:index:EtcdServer"

	etcdVolume  = "etcd_data" // the label that the Terraform modules gave it too
	etcdArchive = "etcd"      // its name in `artifacts`
)

// etcdLogs are the services whose logs are forwarded.
var etcdLogs = []host.Log{{Name: "etcd", Unit: config.Service}}

const (
	clients = "clients"
	peers   = "peers"
)

// etcdDoors are a member's ports, by the services that the firewall has.
var etcdDoors = []host.Door{
	{Service: clients, Port: ports.EtcdClient, Protocol: host.TCP, Asked: true},
	{Service: peers, Port: ports.EtcdPeer, Protocol: host.TCP},
}

var etcdRole = server.Role[EtcdServerArgs, *EtcdServer]{
	Token: etcdServerToken, HasData: true, Certificates: etcdCerts[EtcdServerArgs], State: EtcdServerArgs.state, Outputs: etcdOutputs[EtcdServerArgs],
}

func NewEtcdServer(ctx *pulumi.Context, name string, in inputs.Inputs[EtcdServerArgs], opts ...pulumi.ResourceOption) (*EtcdServer, error) {
	c, err := etcdRole.New(ctx, name, &EtcdServer{}, in, opts)
	if err != nil {
		return nil, err
	}
	return c, warnOfQuota(ctx, in, in.Args.Etcd, c, []string{""}, []string{""}, in.Args.Backend())
}

// isMember is of inputs that embed EtcdServerArgs.
type isMember interface{ etcdServer() EtcdServerArgs }

func (a EtcdServerArgs) etcdServer() EtcdServerArgs { return a }

func etcdOutputs[A isMember](c *EtcdServer, in inputs.Inputs[A], made pulumi.StringMap, m machine.Machine) {
	c.Name = in.RequiredString("name").ToStringOutput()
	c.IP = in.Args.etcdServer().Backend().Addresses(in, "")[0].ToStringOutput()
	c.Endpoint = server.Endpoint(c.IP, ports.EtcdClient)
	// Certificates are for everybody, also those that came beside a secret key.
	c.CACert = server.Unsecret(made["caCert"].ToStringOutput())
	c.ServerCert = server.Unsecret(made["serverCert"].ToStringOutput())
	c.MachineID, c.data, c.drive, c.last = m.ID, m.Data, m.Drive, m.Last
	c.Generation = m.Generation
}

// etcdCerts are the certificates of a member: ready-made, or signed.
func etcdCerts[A isMember](ctx *pulumi.Context, name string, in inputs.Inputs[A], opts []pulumi.ResourceOption) (pulumi.StringMap, error) {
	if in.Args.etcdServer().TLS != nil {
		return pulumi.StringMap{
			"caCert":     server.Trusted(in, in.RequiredString("tls.caCert")),
			"serverCert": in.RequiredString("tls.serverCert"),
			"serverKey":  in.RequiredString("tls.serverKey"),
		}, nil
	}
	id, err := server.Sign(ctx, name, in, server.Subject{
		CommonName: in.RequiredString("name"),
		IPs:        server.Concat(append(in.Args.etcdServer().Backend().Addresses(in, ""), pulumi.String("127.0.0.1")), in.Strings("certificate.extraIps")),
		Domains:    server.Concat(pulumi.StringArray{in.RequiredString("name"), pulumi.String("localhost")}, in.Strings("certificate.domains")),
		Uses:       []string{"server_auth", "client_auth"}, // it answers clients, and calls its peers
	}, opts...)
	return pulumi.StringMap{"caCert": server.Trusted(in, in.RequiredString("ca.cert")), "serverCert": id.Cert, "serverKey": id.Key}, err
}

// state is what the member's machine is to be, with what was made for it.
func (a EtcdServerArgs) state(made map[string]string) (guest.State, error) {
	return a.machine(a.member(), made)
}

func (a EtcdServerArgs) machine(member config.Config, made map[string]string) (guest.State, error) {
	member.TLS = config.TLS{CACert: made["caCert"], ServerCert: made["serverCert"], ServerKey: made["serverKey"]}
	if password, has := made[rootPassword]; has {
		member.Auth.RootPassword = &password
	}
	member.Recovery = made[recovery]
	role, err := member.State()
	if err != nil {
		return guest.State{}, err
	}
	role.Volumes = a.Backend().Volumes(etcdVolume, config.DataVolume)
	return a.Run(role, member.Bootstrap(), etcdLogs, etcdDoors)
}

func (a EtcdServerArgs) member() config.Config {
	c := config.Config{Name: ptr.Value(a.Name), Etcd: a.Etcd.WithDefaults(), Cluster: a.Cluster, Auth: ptr.Value(a.Auth), TLS: ptr.Value(a.TLS), IPs: a.Backend().IPs()}
	if artifact, ok := a.Artifacts[etcdArchive]; ok {
		c.Artifact = &artifact
	}
	return c
}
