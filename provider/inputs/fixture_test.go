package inputs_test

import (
	"fmt"
	"slices"
	"strings"
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

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

type Mode string

func (Mode) Values() []infer.EnumValue[Mode] {
	return []infer.EnumValue[Mode]{{Name: "Periodic", Value: "periodic"}, {Name: "Revision", Value: "revision"}}
}

type Peer struct {
	Name string `pulumi:"name"`
	IP   string `pulumi:"ip"`
	Port *int   `pulumi:"port,optional"`
}

func (c *Peer) Annotate(a infer.Annotator) { a.SetDefault(&c.Port, 2380) }

type Auth struct {
	Password string  `pulumi:"password" provider:"secret"`
	Level    *Mode   `pulumi:"level,optional"`
	User     *string `pulumi:"user,optional"`
}

func (c *Auth) Annotate(a infer.Annotator) { a.SetDefault(&c.User, "root") }

type Etcd struct {
	Mode   *Mode             `pulumi:"mode,optional"`
	Quota  *int              `pulumi:"quota,optional"`
	Ratio  *float64          `pulumi:"ratio,optional"`
	Auth   *Auth             `pulumi:"auth,optional"`
	Peers  []Peer            `pulumi:"peers,optional"`
	Named  map[string]Peer   `pulumi:"named,optional"`
	Params map[string]string `pulumi:"params,optional"`
	DNS    []string          `pulumi:"dns,optional"`
}

func (c *Etcd) Annotate(a infer.Annotator) {
	a.Describe(&c.Mode, "How history is counted.")
	a.SetDefault(&c.Mode, Mode("periodic"))
	a.SetDefault(&c.Quota, 8<<30)
}

type Machine struct {
	VolumeID *string `pulumi:"volumeId,optional"`
	Vcpus    *int    `pulumi:"vcpus,optional"`
	Running  *bool   `pulumi:"running,optional"`
}

func (c *Machine) Annotate(a infer.Annotator) { a.SetDefault(&c.Vcpus, 2) }

// Common are inputs that several components have.
type Common struct {
	Zone *string `pulumi:"zone,optional"`
	PIN  *string `pulumi:"pin,optional" provider:"secret"`
}

func (c *Common) Annotate(a infer.Annotator) { a.SetDefault(&c.Zone, "local") }

type Args struct {
	Common

	Name    *string  `pulumi:"name,optional"`
	Etcd    Etcd     `pulumi:"etcd"`
	Libvirt *Machine `pulumi:"libvirt,optional"`
	Cloud   *Machine `pulumi:"cloud,optional"`
	Token   *string  `pulumi:"token,optional" provider:"secret"`
}

func (c Args) Validate() []check.Problem {
	var l check.List
	if (c.Libvirt == nil) == (c.Cloud == nil) {
		l.Add("libvirt", "give exactly one of libvirt and cloud").Needing("cloud").Shape()
	}
	if len(c.Etcd.Peers)%2 == 0 {
		l.Add("etcd.peers", "must be an odd number of peers, not %d", len(c.Etcd.Peers)).Shape()
	}
	if !slices.ContainsFunc(c.Etcd.Peers, func(q Peer) bool { return q.Name == *c.Name }) {
		l.Add("name", "must be among the peers").Needing("etcd.peers")
	}
	for i, peer := range c.Etcd.Peers {
		l.Check(fmt.Sprintf("etcd.peers[%d].ip", i), check.IP(peer.IP))
	}
	if c.Etcd.Auth != nil && len(c.Etcd.Auth.Password) < 6 {
		l.Add("etcd.auth.password", "careless: %q is too short", c.Etcd.Auth.Password)
	}
	if c.Token != nil && *c.Token == "" {
		l.Required("token", *c.Token)
	}
	return l
}

type Member struct {
	pulumi.ResourceState

	UserData pulumi.StringOutput `pulumi:"userData"`
	Key      pulumi.StringOutput `pulumi:"key" provider:"secret"`
	Vcpus    pulumi.IntPtrOutput `pulumi:"vcpus"`
}

func (m *Member) Annotate(a infer.Annotator) { a.SetToken("index", "Member") }

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

var unknown = property.New(property.Computed)

func text(s string) property.Value    { return property.New(s) }
func number(f float64) property.Value { return property.New(f) }

func object(pairs ...any) property.Value {
	m := map[string]property.Value{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(property.Value)
	}
	return property.New(m)
}

func list(values ...property.Value) property.Value {
	return property.New(append([]property.Value{}, values...)) // a nil slice would be null
}

// good is what has no problems, changed at dotted paths. A null takes away.
func good(changes ...any) map[string]property.Value {
	v := object(
		"etcd", object("peers", list(object("name", text("etcd-1"), "ip", text("10.0.0.1")))),
		"libvirt", object("volumeId", text("/v")))
	for i := 0; i < len(changes); i += 2 {
		v = set(v, strings.Split(changes[i].(string), "."), changes[i+1].(property.Value))
	}
	return v.AsMap().AsMap()
}

func set(v property.Value, path []string, to property.Value) property.Value {
	if len(path) == 0 {
		return to
	}
	if v.IsArray() {
		s := v.AsArray().AsSlice()
		s[0] = set(s[0], path[1:], to)
		return property.New(s)
	}
	inner := object()
	if v.IsMap() {
		inner = v
	}
	return property.WithGoValue(v, inner.AsMap().Set(path[0], set(inner.AsMap().Get(path[0]), path[1:], to)))
}
