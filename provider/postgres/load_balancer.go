package postgres

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/keepalived"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// PostgresLoadBalancer is a machine that takes connections to the nodes of a
// PostgreSQL cluster under Patroni.
type PostgresLoadBalancer struct {
	pulumi.ResourceState

	Name            pulumi.StringOutput    `pulumi:"name"`
	IP              pulumi.StringOutput    `pulumi:"ip"`
	Endpoint        pulumi.StringOutput    `pulumi:"endpoint"`
	ReplicaEndpoint pulumi.StringOutput    `pulumi:"replicaEndpoint"`
	PatroniEndpoint pulumi.StringOutput    `pulumi:"patroniEndpoint"`
	MetricsEndpoint pulumi.StringOutput    `pulumi:"metricsEndpoint"`
	Pooler          pulumi.StringPtrOutput `pulumi:"poolerEndpoint"`
	PoolerReplica   pulumi.StringPtrOutput `pulumi:"poolerReplicaEndpoint"`
	CACert          pulumi.StringOutput    `pulumi:"caCert"`
	MachineID       pulumi.StringOutput    `pulumi:"machineId"`
	Generation      pulumi.StringOutput    `pulumi:"generation"`

	last []pulumi.Resource // of its machine
}

// PostgresLoadBalancerArgs are the inputs of a PostgresLoadBalancer.
type PostgresLoadBalancerArgs struct {
	server.ServerArgs

	Haproxy           haproxy.Settings  `pulumi:"haproxy"`
	CACert            string            `pulumi:"caCert"`
	TrustedCACerts    []string          `pulumi:"trustedCaCerts,optional"`
	ContainerRegistry *haproxy.Registry `pulumi:"containerRegistry,optional"`

	ClientCert *string `pulumi:"clientCert,optional" json:",omitempty"`
	ClientKey  *string `pulumi:"clientKey,optional" provider:"secret" json:",omitempty"`

	PoolerPort *int                  `pulumi:"poolerPort,optional" json:",omitempty"`
	VirtualIP  *keepalived.VirtualIP `pulumi:"virtualIp,optional" json:",omitempty"`
}

const postgresLoadBalancerToken = "quorum:index:PostgresLoadBalancer"

// loadBalancerLogs are the services whose logs are forwarded.
var loadBalancerLogs = []host.Log{{Name: "haproxy", Unit: haproxy.Service}}

// keepalivedLogs are those of who shares an address with others.
var keepalivedLogs = []host.Log{{Name: "keepalived", Unit: keepalived.Service}}

const (
	haproxyDoor = "haproxy"
	vrrpDoor    = "vrrp"
)

// loadBalancerDoors are its ports, by the services that the firewall has.
var loadBalancerDoors = []host.Door{
	{Service: haproxyDoor, Port: ports.Postgres, Protocol: host.TCP, Asked: true},
	{Service: haproxyDoor, Port: ports.PostgresReplica, Protocol: host.TCP},
	{Service: patroniDoor, Port: ports.Patroni, Protocol: host.TCP},
	{Service: vrrpDoor, Protocol: host.VRRP}, // of a keepalived of the user's
	{Service: host.MetricsDoor, Port: ports.Haproxy, Protocol: host.TCP},
}

// poolDoors are the ports that lead to the nodes' pools.
var poolDoors = []host.Door{
	{Service: haproxyDoor, Port: ports.Pooler, Protocol: host.TCP},
	{Service: haproxyDoor, Port: ports.PoolerReplica, Protocol: host.TCP},
}

// logs are those that are forwarded.
func (a PostgresLoadBalancerArgs) logs() []host.Log {
	if a.VirtualIP == nil {
		return loadBalancerLogs
	}
	return slices.Concat(loadBalancerLogs, keepalivedLogs)
}

// doors are its ports. keepalived's is for those who share the address.
func (a PostgresLoadBalancerArgs) doors() []host.Door {
	doors := slices.Clone(loadBalancerDoors)
	if a.PoolerPort != nil {
		doors = slices.Concat(poolDoors, doors)
	}
	if a.VirtualIP == nil {
		return doors
	}
	for i := range doors {
		if doors[i].Service == vrrpDoor {
			doors[i].From = append([]string{}, a.VirtualIP.UnicastPeers...)
		}
	}
	return doors
}

// addresses are those that the machine may have beside its own.
func addresses(in inputs.Inputs[PostgresLoadBalancerArgs]) pulumi.StringArray {
	if in.Args.VirtualIP == nil {
		return nil
	}
	return pulumi.StringArray{in.RequiredString("virtualIp.address")}
}

var loadBalancerRole = server.Role[PostgresLoadBalancerArgs, *PostgresLoadBalancer]{
	Token: postgresLoadBalancerToken, Certificates: loadBalancerCerts, State: PostgresLoadBalancerArgs.state, Addresses: addresses,
	Outputs: (*PostgresLoadBalancer).outputs,
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
	if in.Args.PoolerPort != nil {
		c.Pooler, c.PoolerReplica = server.Endpoint(c.IP, ports.Pooler).ToStringPtrOutput(), server.Endpoint(c.IP, ports.PoolerReplica).ToStringPtrOutput()
	}
	c.CACert = made["caCert"].ToStringOutput()
	c.MachineID, c.last = m.ID, m.Last
	c.Generation = m.Generation
}

// loadBalancerCerts is the authority of Patroni's API.
func loadBalancerCerts(_ *pulumi.Context, _ string, in inputs.Inputs[PostgresLoadBalancerArgs], _ []pulumi.ResourceOption) (pulumi.StringMap, error) {
	all := pulumi.StringMap{"caCert": server.Trusted(in, in.RequiredString("caCert"))}
	for _, name := range []string{"clientCert", "clientKey"} {
		if given := in.String(name); given != nil {
			all[name] = given.ToStringPtrOutput().Elem()
		}
	}
	return all, nil
}

// state is what the load balancer's machine is to be, with this authority.
func (a PostgresLoadBalancerArgs) state(certs map[string]string) (guest.State, error) {
	c := a.config()
	c.CACert, c.ClientCert, c.ClientKey = certs["caCert"], certs["clientCert"], certs["clientKey"]
	role, err := c.State()
	if err != nil {
		return guest.State{}, err
	}
	if a.VirtualIP != nil {
		own, _ := a.Backend().Beside(a.VirtualIP.Address)
		shared, err := keepalived.Config{Name: ptr.Value(a.Name), IP: own, VirtualIP: *a.VirtualIP, Check: haproxy.Answers()}.State()
		if err != nil {
			return guest.State{}, err
		}
		role.Add(shared)
	}
	return a.Run(role, guest.State{}, a.logs(), a.doors())
}

func (a PostgresLoadBalancerArgs) config() haproxy.Config {
	return haproxy.Config{
		Haproxy: a.Haproxy, Registry: a.ContainerRegistry, CACert: a.CACert, IPs: a.Backend().IPs(), Asked: a.VirtualIP != nil,
		PoolerPort: ptr.Value(a.PoolerPort),
	}
}
