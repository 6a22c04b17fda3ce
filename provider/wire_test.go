package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration/fake"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	comprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	rpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

// wire is the provider as the engine has it: values go through protobuf, and
// what is logged is kept. It is for one call at a time.
type wire struct {
	world   *world
	engine  *fake.EngineServer
	monitor string
	server  rpc.ResourceProviderServer
	seen    int // of the log
}

// monitor has what the fake one lacks.
type monitor struct{ *fake.ResourceMonitorServer }

func (monitor) RegisterResourceHook(context.Context, *rpc.RegisterResourceHookRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (monitor) ReadResource(_ context.Context, r *rpc.ReadResourceRequest) (*rpc.ReadResourceResponse, error) {
	return &rpc.ReadResourceResponse{Urn: "urn:pulumi:stack::project::" + r.GetType() + "::" + r.GetName(), Properties: r.GetProperties()}, nil
}

func newWire(t testing.TB) *wire {
	t.Helper()
	w := &wire{world: &world{}, engine: fake.NewEngineServer()}
	address, _, err := fake.StartEngineServer(t.Context(), w.engine)
	require.NoError(t, err)
	w.monitor, _, err = fake.StartMonitorServer(t.Context(), monitor{fake.NewResourceMonitorServer(w.world)})
	require.NoError(t, err)
	host, err := comprovider.NewHostClient(address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = host.EngineConn().Close() })
	provider, err := New()
	require.NoError(t, err)
	w.server, err = p.RawServer(Name, version.String(), provider)(host)
	require.NoError(t, err)
	return w
}

// outcome is what a component would register and say.
type outcome struct {
	children map[string]resource.PropertyMap
	outputs  resource.PropertyMap
	messages []string // logged
	err      error
}

func (w *wire) construct(t testing.TB, c component, in property.Map, preview bool) outcome {
	t.Helper()
	w.world.clear()
	resp, err := w.server.Construct(t.Context(), &rpc.ConstructRequest{
		Project: "project", Stack: "stack", Type: "quorum:index:" + c.kind, Name: c.name, Inputs: marshal(t, in),
		DryRun: preview, Parallel: 1, MonitorEndpoint: w.monitor, AcceptsOutputValues: true,
	})
	made := outcome{children: w.world.inputs(), messages: w.logged(), err: err}
	if err == nil {
		made.outputs = unmarshal(t, resp.State)
	}
	return made
}

// logged is what was, since it was asked for last.
func (w *wire) logged() (texts []string) {
	all := w.engine.Logs()
	for _, log := range all[w.seen:] {
		texts = append(texts, log.GetMessage())
	}
	w.seen = len(all)
	return texts
}

func marshal(t testing.TB, in property.Map) *structpb.Struct {
	t.Helper()
	s, err := plugin.MarshalProperties(resource.ToResourcePropertyMap(in), plugin.MarshalOptions{
		KeepUnknowns: true, KeepSecrets: true, KeepResources: true, KeepOutputValues: true,
	})
	require.NoError(t, err)
	return s
}

func unmarshal(t testing.TB, s *structpb.Struct) resource.PropertyMap {
	t.Helper()
	m, err := plugin.UnmarshalProperties(s, plugin.MarshalOptions{
		KeepUnknowns: true, KeepSecrets: true, KeepResources: true, KeepOutputValues: true,
	})
	require.NoError(t, err)
	return m
}

func (w *world) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.children, w.order = map[string]pulumi.MockResourceArgs{}, nil
}

// inputs are those of the children, by their names and types.
func (w *world) inputs() map[string]resource.PropertyMap {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]resource.PropertyMap{}
	for name, child := range w.children {
		all[name] = child.Inputs
	}
	return all
}

func (p outcome) says(text string) bool {
	return slices.ContainsFunc(p.messages, func(m string) bool { return strings.Contains(m, text) })
}

// check is what a custom resource has against its inputs.
func (w *wire) check(t testing.TB, urn string, old, in *structpb.Struct) (*structpb.Struct, []string, error) {
	t.Helper()
	resp, err := w.server.Check(t.Context(), &rpc.CheckRequest{Urn: urn, Olds: old, News: in})
	var failures []string
	for _, f := range resp.GetFailures() {
		failures = append(failures, joined(f.GetProperty(), f.GetReason()))
	}
	return resp.GetInputs(), failures, err
}

// checkChildren requires the package's own resources to take what a component
// gives them.
func (w *wire) checkChildren(t testing.TB, made outcome) (failures []string) {
	t.Helper()
	for name, in := range made.children {
		child, kind, _ := strings.Cut(strings.TrimSuffix(name, ")"), " (quorum:index:")
		if !slices.ContainsFunc(slices.Concat(customs, guards), func(c component) bool { return c.kind == kind }) {
			continue
		}
		object, err := plugin.MarshalProperties(in, plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true, KeepResources: true})
		require.NoError(t, err)
		_, failed, err := w.check(t, "urn:pulumi:stack::project::quorum:index:"+kind+"::"+child, nil, object)
		if err != nil {
			failed = append(failed, err.Error())
		}
		for _, f := range failed {
			failures = append(failures, name+": "+f)
		}
	}
	return failures
}

// plan is what comes of a resource that is not there yet.
func (w *wire) plan(t testing.TB, c component, in property.Map, preview bool) outcome {
	t.Helper()
	if !c.isCustom() {
		return w.construct(t, c, in, preview)
	}
	inputs, failures, err := w.check(t, string(c.urn()), nil, marshal(t, in))
	if err == nil && len(failures) > 0 {
		err = errors.New(strings.Join(failures, "\n"))
	}
	if err != nil || !preview {
		return outcome{messages: w.logged(), err: err}
	}
	resp, err := w.server.Create(t.Context(), &rpc.CreateRequest{Urn: string(c.urn()), Properties: inputs, Preview: true})
	made := outcome{messages: w.logged(), err: err}
	if err == nil {
		made.outputs = unmarshal(t, resp.Properties)
	}
	return made
}
