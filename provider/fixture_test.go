package provider

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

// world stands in for the engine: it keeps what a component registers.
type world struct {
	mu       sync.Mutex
	children map[string]pulumi.MockResourceArgs
	order    []pulumi.MockResourceArgs
	leaf     string // file of the certificates that are signed
}

func (w *world) Call(a pulumi.MockCallArgs) (resource.PropertyMap, error) { return a.Args, nil }

func (w *world) NewResource(a pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.children[a.Name+" ("+a.TypeToken+")"] = a
	w.order = append(w.order, a)
	out := a.Inputs.Copy()
	for key, v := range out {
		if v.ContainsUnknowns() {
			delete(out, key) // the fake monitor cannot carry them; left out, the SDK takes them for unknown
		}
	}
	switch a.TypeToken {
	case "tls:index/privateKey:PrivateKey":
		out["privateKeyPem"] = resource.MakeSecret(resource.NewProperty(fixture("server.key")))
	case "tls:index/certRequest:CertRequest":
		out["certRequestPem"] = resource.NewProperty("a request")
	case "tls:index/locallySignedCert:LocallySignedCert":
		out["certPem"] = resource.NewProperty(fixture(cmp.Or(w.leaf, "server.crt")))
	case "quorum:index:PostgresRestoration":
		out["restoration"] = resource.NewProperty("20261127T150000Z")
	case "quorum:index:MachineIdentity":
		out["formerLogins"], out["resolversChanged"] = resource.NewProperty([]resource.PropertyValue{}), resource.NewProperty(false)
		if formerly, is := out["formerly"]; is {
			out["identity"] = formerly
		}
	case "tls:index/selfSignedCert:SelfSignedCert":
		out["certPem"] = resource.NewProperty(fixture("ca.crt"))
	}
	return a.Name + "-id", out, nil
}

// child is a resource that the component registered, by the last part of its name.
func (w *world) child(t testing.TB, suffix string) resource.PropertyMap {
	t.Helper()
	for _, child := range w.children {
		if strings.HasSuffix(child.Name, suffix) {
			return child.Inputs
		}
	}
	require.Failf(t, "no such child", "%s is not among %v", suffix, w.names())
	return nil
}

func (w *world) names() (names []string) {
	for _, child := range w.children {
		names = append(names, child.Name)
	}
	return names
}

func init() { server.Hooks = false }

func newServer(t testing.TB, w *world) integration.Server {
	t.Helper()
	provider, err := New()
	require.NoError(t, err)
	server, err := integration.NewServer(t.Context(), Name, semver.MustParse(version.String()),
		integration.WithProvider(provider), integration.WithMocks(w))
	require.NoError(t, err)
	return server
}

// construct makes a component in a world of its own.
func construct(t testing.TB, c component, in property.Map, preview bool) (*world, p.ConstructResponse, error) {
	t.Helper()
	return constructIn(t, &world{}, c, in, preview)
}

func constructIn(t testing.TB, w *world, c component, in property.Map, preview bool) (*world, p.ConstructResponse, error) {
	t.Helper()
	w.children, w.order = map[string]pulumi.MockResourceArgs{}, nil
	resp, err := newServer(t, w).Construct(p.ConstructRequest{
		Urn: c.urn(), Inputs: in, DryRun: preview,
	})
	return w, resp, err
}

func (c component) urn() urn.URN {
	return urn.URN("urn:pulumi:stack::project::quorum:index:" + c.kind + "::" + c.name)
}

func fixture(name string) string {
	b, err := os.ReadFile(filepath.Join("testdata", "pki", name))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// readInputs reads inputs in the schema's own words. The tags !pem (a file of
// testdata/pki), !secret and !unknown say what YAML cannot.
func readInputs(t testing.TB, text string) property.Map {
	t.Helper()
	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &doc))
	return toProperty(t, doc.Content[0]).AsMap()
}

func toProperty(t testing.TB, n *yaml.Node) property.Value {
	t.Helper()
	switch n.Tag {
	case "!pem":
		return property.New(fixture(n.Value))
	case "!secretPem":
		return property.New(fixture(n.Value)).WithSecret(true)
	case "!secret":
		return property.New(n.Value).WithSecret(true)
	case "!unknown":
		return property.New(property.Computed)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return toProperty(t, n.Alias)
	case yaml.MappingNode:
		m := map[string]property.Value{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = toProperty(t, n.Content[i+1])
		}
		return property.New(m)
	case yaml.SequenceNode:
		list := []property.Value{}
		for _, item := range n.Content {
			list = append(list, toProperty(t, item))
		}
		return property.New(list)
	}
	var v any
	require.NoError(t, n.Decode(&v))
	switch v := v.(type) {
	case nil:
		return property.New(property.Null)
	case bool:
		return property.New(v)
	case int:
		return property.New(float64(v))
	case float64:
		return property.New(v)
	}
	return property.New(fmt.Sprint(v))
}

// merge lays more over base: objects key by key, all else whole; null removes.
func merge(base, more property.Map) property.Map {
	for key, v := range more.All {
		switch old, has := base.GetOk(key); {
		case v.IsNull():
			base = base.Delete(key)
		case has && old.IsMap() && v.IsMap():
			base = base.Set(key, property.New(merge(old.AsMap(), v.AsMap())))
		default:
			base = base.Set(key, v)
		}
	}
	return base
}
