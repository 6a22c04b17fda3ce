// Package dns has the machines that serve zones kept in etcd.
//
// What the machines are to be is in coredns; the zones themselves are in zone.
package dns

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// CorednsServer is a machine that serves DNS zones kept in etcd.
type CorednsServer struct {
	pulumi.ResourceState

	Name       pulumi.StringOutput      `pulumi:"name"`
	IP         pulumi.StringOutput      `pulumi:"ip"`
	IPs        pulumi.StringArrayOutput `pulumi:"ips"`
	Endpoint   pulumi.StringOutput      `pulumi:"endpoint"`
	MachineID  pulumi.StringOutput      `pulumi:"machineId"`
	Generation pulumi.StringOutput      `pulumi:"generation"`
}

// CorednsServerArgs are the inputs of a CorednsServer.
type CorednsServerArgs struct {
	server.ServerArgs

	Artifacts map[string]host.Artifact `pulumi:"artifacts,optional"`
	Etcd      host.EtcdConnection      `pulumi:"etcd"`
	KeyPrefix string                   `pulumi:"keyPrefix"`
	DNS       *coredns.DNS             `pulumi:"dns,optional"`
}

const (
	corednsServerToken = "quorum:index:CorednsServer"

	corednsArchive = "coredns" // its name in `artifacts`
)

var corednsRole = server.Role[CorednsServerArgs, *CorednsServer]{
	Token: corednsServerToken, State: CorednsServerArgs.state, Outputs: (*CorednsServer).outputs,
}

func NewCorednsServer(ctx *pulumi.Context, name string, in inputs.Inputs[CorednsServerArgs], opts ...pulumi.ResourceOption) (*CorednsServer, error) {
	return corednsRole.New(ctx, name, &CorednsServer{}, in, opts)
}

func (c *CorednsServer) outputs(in inputs.Inputs[CorednsServerArgs], _ pulumi.StringMap, m machine.Machine) {
	ips := in.Args.Backend().Addresses(in, "")
	c.Name = in.RequiredString("name").ToStringOutput()
	c.IP = ips[0].ToStringOutput()
	c.IPs = ips.ToStringArrayOutput()
	c.Endpoint = server.Endpoint(c.IP, ports.DNS)
	c.MachineID = m.ID
	c.Generation = m.Generation
}

// state is what the server's machine is to be.
func (a CorednsServerArgs) state(map[string]string) (guest.State, error) {
	role, err := a.server().State()
	if err != nil {
		return guest.State{}, err
	}
	return a.Run(role, guest.State{}, coredns.Logs, coredns.Doors)
}

func (a CorednsServerArgs) server() coredns.Config {
	c := coredns.Config{Name: ptr.Value(a.Name), Etcd: a.Etcd, KeyPrefix: a.KeyPrefix, DNS: a.DNS.WithDefaults(), IPs: a.Backend().IPs()}
	if artifact, ok := a.Artifacts[corednsArchive]; ok {
		c.Artifact = &artifact
	}
	return c
}
