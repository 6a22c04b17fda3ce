package inputs_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
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
