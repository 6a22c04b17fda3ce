package inputs_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

// child is a custom resource that takes whatever it is given.
type child struct{ pulumi.CustomResourceState }

// server serves one component and records what is registered.
type server struct {
	integration.Server
	monitor *monitor
	args    Args // as Build got them
	known   map[string]bool
}

type monitor struct {
	mu    sync.Mutex
	made  map[string]pulumi.MockResourceArgs
	fails map[string]error
}

func (m *monitor) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

func (m *monitor) NewResource(a pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made[a.Name] = a
	return a.Name + "-id", resource.PropertyMap{}, m.fails[a.Name]
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := &server{monitor: &monitor{made: map[string]pulumi.MockResourceArgs{}}, known: map[string]bool{}}
	prov, err := provider(inputs.Component[Args](s.build))
	require.NoError(t, err)
	s.Server, err = integration.NewServer(t.Context(), "quorum", semver.MustParse("0.1.0"),
		integration.WithProvider(prov), integration.WithMocks(s.monitor))
	require.NoError(t, err)
	return s
}

func provider(components ...infer.InferredComponent) (p.Provider, error) {
	prov, err := infer.NewProviderBuilder().WithComponents(components...).
		WithModuleMap(map[tokens.ModuleName]tokens.ModuleName{"inputs_test": "index"}).Build()
	return inputs.Provider(prov), err
}

func (s *server) build(ctx *pulumi.Context, name string, in inputs.Inputs[Args], opts ...pulumi.ResourceOption) (*Member, error) {
	s.args = in.Args
	for _, path := range []string{"etcd", "etcd.peers[0].ip", "libvirt", "libvirt.volumeId", "name"} {
		s.known[path] = in.Known(path)
	}
	m := &Member{}
	if err := ctx.RegisterComponentResource(p.GetTypeToken(ctx), name, m, opts...); err != nil {
		return nil, err
	}
	a := in.Args
	m.UserData = inputs.Render(in, pulumi.StringMap{"extra": pulumi.String("x")}, inputs.AllBut("cloud.volumeId"),
		func(extra map[string]string) (any, error) {
			if *a.Name == "panics" {
				panic(a.Etcd.Auth.Password)
			}
			if *a.Name == "fails" {
				return nil, fmt.Errorf("cannot render %s", a.Etcd.Auth.Password)
			}
			return fmt.Sprintf("%s %s %d", *a.Name, extra["extra"], len(a.Etcd.Peers)), nil
		}).ApplyT(func(text any) string { return text.(string) }).(pulumi.StringOutput)
	m.Key = pulumi.String("made").ToStringOutput()
	given := pulumi.Map{"userData": m.UserData, "required": in.RequiredString("token")}
	if v := in.String("libvirt.volumeId"); v != nil {
		given["volumeId"] = v
	}
	if v := in.Int("libvirt.vcpus"); v != nil {
		given["vcpus"] = v
		m.Vcpus = v.ToIntPtrOutput()
	}
	if v := in.Bool("libvirt.running"); v != nil {
		given["running"] = v
	}
	if v := in.Strings("etcd.dns"); v != nil {
		given["dns"] = v
	}
	given["ip"] = in.RequiredString("etcd.peers[0].ip")
	return m, ctx.RegisterResource("test:index:Child", name+"-child", given, &child{}, pulumi.Parent(m))
}

func (s *server) construct(in map[string]property.Value, preview bool) (p.ConstructResponse, error) {
	return s.Construct(p.ConstructRequest{
		Urn: "urn:pulumi:stack::project::quorum:index:Member::etcd-1", DryRun: preview, Inputs: property.NewMap(in),
	})
}

func (s *server) child() pulumi.MockResourceArgs { return s.monitor.made["etcd-1-child"] }
