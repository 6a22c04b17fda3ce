package postgres

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// PostgresLoadBalancer is a machine that takes connections to the nodes of a
// PostgreSQL cluster under Patroni.
type PostgresLoadBalancer struct {
	pulumi.ResourceState

	Name            pulumi.StringOutput `pulumi:"name"`
	IP              pulumi.StringOutput `pulumi:"ip"`
	Endpoint        pulumi.StringOutput `pulumi:"endpoint"`
	ReplicaEndpoint pulumi.StringOutput `pulumi:"replicaEndpoint"`
	PatroniEndpoint pulumi.StringOutput `pulumi:"patroniEndpoint"`
	MetricsEndpoint pulumi.StringOutput `pulumi:"metricsEndpoint"`
	CACert          pulumi.StringOutput `pulumi:"caCert"`
	ClientCert      pulumi.StringOutput `pulumi:"clientCert"`
	MachineID       pulumi.StringOutput `pulumi:"machineId"`
	Generation      pulumi.StringOutput `pulumi:"generation"`

	last []pulumi.Resource // of its machine
}

// PostgresLoadBalancerArgs are the inputs of a PostgresLoadBalancer.
type PostgresLoadBalancerArgs struct {
	server.ServerArgs

	Haproxy           haproxy.Settings    `pulumi:"haproxy"`
	TLS               *haproxy.TLS        `pulumi:"tls,optional"`
	CA                *server.CA          `pulumi:"ca,optional"`
	TrustedCACerts    []string            `pulumi:"trustedCaCerts,optional"`
	Certificate       *server.Certificate `pulumi:"certificate,optional"`
	ContainerRegistry *haproxy.Registry   `pulumi:"containerRegistry,optional"`
}

const postgresLoadBalancerToken = "quorum:index:PostgresLoadBalancer"

// loadBalancerLogs are the services whose logs are forwarded.
var loadBalancerLogs = []host.Log{{Name: "haproxy", Unit: haproxy.Service}}

var loadBalancerRole = server.Role[PostgresLoadBalancerArgs, *PostgresLoadBalancer]{
	Token: postgresLoadBalancerToken, Certificates: loadBalancerCerts, State: PostgresLoadBalancerArgs.state, Outputs: (*PostgresLoadBalancer).outputs,
}

func NewPostgresLoadBalancer(ctx *pulumi.Context, name string, in inputs.Inputs[PostgresLoadBalancerArgs], opts ...pulumi.ResourceOption) (*PostgresLoadBalancer, error) {
	return loadBalancerRole.New(ctx, name, &PostgresLoadBalancer{}, in, opts)
}

func (c *PostgresLoadBalancer) outputs(in inputs.Inputs[PostgresLoadBalancerArgs], made pulumi.StringMap, m machine.Machine) {
	c.Name = in.RequiredString("name").ToStringOutput()
	c.IP = in.Args.Backend().Addresses(in, "")[0].ToStringOutput()
	c.Endpoint, c.ReplicaEndpoint = server.Endpoint(c.IP, ports.Postgres), server.Endpoint(c.IP, ports.PostgresReplica)
	c.PatroniEndpoint, c.MetricsEndpoint = server.Endpoint(c.IP, ports.Patroni), server.Endpoint(c.IP, ports.Haproxy)
	if chosen := in.String("haproxy.metricsAddress"); chosen != nil {
		c.MetricsEndpoint = server.Endpoint(chosen.ToStringPtrOutput().Elem(), ports.Haproxy)
	}
	// Certificates are for everybody, also those that came beside a secret key.
	c.CACert = server.Unsecret(made["caCert"].ToStringOutput())
	c.ClientCert = server.Unsecret(made["clientCert"].ToStringOutput())
	c.MachineID, c.last = m.ID, m.Last
	c.Generation = m.Generation
}

// loadBalancerCerts are what Patroni is asked with: ready-made, or signed.
func loadBalancerCerts(ctx *pulumi.Context, name string, in inputs.Inputs[PostgresLoadBalancerArgs], opts []pulumi.ResourceOption) (pulumi.StringMap, error) {
	if in.Args.TLS != nil {
		return pulumi.StringMap{
			"caCert":     server.Trusted(in, in.RequiredString("tls.caCert")),
			"clientCert": in.RequiredString("tls.clientCert"),
			"clientKey":  in.RequiredString("tls.clientKey"),
		}, nil
	}
	id, err := server.Sign(ctx, name, in, server.Subject{
		CommonName: in.RequiredString("name"),
		IPs:        server.Concat(append(in.Args.Backend().Addresses(in, ""), pulumi.String("127.0.0.1")), in.Strings("certificate.extraIps")),
		Domains:    server.Concat(pulumi.StringArray{in.RequiredString("name"), pulumi.String("localhost")}, in.Strings("certificate.domains")),
		Uses:       []string{"client_auth"},
	}, opts...)
	return pulumi.StringMap{"caCert": server.Trusted(in, in.RequiredString("ca.cert")), "clientCert": id.Cert, "clientKey": id.Key}, err
}

// state is what the load balancer's machine is to be, with these certificates.
func (a PostgresLoadBalancerArgs) state(certs map[string]string) (guest.State, error) {
	c := a.config()
	c.TLS = haproxy.TLS{CACert: certs["caCert"], ClientCert: certs["clientCert"], ClientKey: certs["clientKey"]}
	role, err := c.State()
	if err != nil {
		return guest.State{}, err
	}
	return a.Run(role, guest.State{}, loadBalancerLogs)
}

func (a PostgresLoadBalancerArgs) config() haproxy.Config {
	c := haproxy.Config{Haproxy: a.Haproxy, Registry: a.ContainerRegistry, TLS: ptr.Value(a.TLS), IPs: a.Backend().IPs()}
	return c
}
