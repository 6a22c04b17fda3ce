package inputs_test

import (
	"context"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

// TestPanicIsAnErrorOfItsStep has every call panic with a secret.
func TestPanicIsAnErrorOfItsStep(t *testing.T) {
	t.Parallel()
	given := object("password", text("hunter2")).AsMap()
	boom := func(values property.Map) { panic("not " + values.Get("password").AsString()) }
	prov := inputs.Provider(p.Provider{
		Check: func(_ context.Context, r p.CheckRequest) (p.CheckResponse, error) {
			boom(r.Inputs)
			return p.CheckResponse{}, nil
		},
		Diff: func(_ context.Context, r p.DiffRequest) (p.DiffResponse, error) {
			boom(r.Inputs)
			return p.DiffResponse{}, nil
		},
		Create: func(_ context.Context, r p.CreateRequest) (p.CreateResponse, error) {
			boom(r.Properties)
			return p.CreateResponse{}, nil
		},
		Read: func(_ context.Context, r p.ReadRequest) (p.ReadResponse, error) {
			boom(r.Inputs)
			return p.ReadResponse{}, nil
		},
		Update: func(_ context.Context, r p.UpdateRequest) (p.UpdateResponse, error) {
			boom(r.Inputs)
			return p.UpdateResponse{}, nil
		},
		Delete: func(_ context.Context, r p.DeleteRequest) error { boom(r.Properties); return nil },
		Construct: func(_ context.Context, r p.ConstructRequest) (p.ConstructResponse, error) {
			boom(r.Inputs)
			return p.ConstructResponse{}, nil
		},
	})
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"check":     func() error { _, err := prov.Check(ctx, p.CheckRequest{Urn: thing, Inputs: given}); return err },
		"diff":      func() error { _, err := prov.Diff(ctx, p.DiffRequest{Urn: thing, Inputs: given}); return err },
		"create":    func() error { _, err := prov.Create(ctx, p.CreateRequest{Urn: thing, Properties: given}); return err },
		"read":      func() error { _, err := prov.Read(ctx, p.ReadRequest{Urn: thing, Inputs: given}); return err },
		"update":    func() error { _, err := prov.Update(ctx, p.UpdateRequest{Urn: thing, Inputs: given}); return err },
		"delete":    func() error { return prov.Delete(ctx, p.DeleteRequest{Urn: thing, Properties: given}) },
		"construct": func() error { _, err := prov.Construct(ctx, p.ConstructRequest{Urn: thing, Inputs: given}); return err },
	} {
		err := call()
		require.EqualError(t, err, `quorum:Thing "thing-1": stopped by a fault in the quorum package, not in your program. `+
			`Please report it at `+fault.Reports+`. The option --debug of pulumi logs where it happened`, name)
		found, is := fault.In(err)
		require.True(t, is)
		assert.NotEmpty(t, found)
	}
}

// TestPanicWhileRendering is of one in a goroutine that the SDK begins.
func TestPanicWhileRendering(t *testing.T) {
	t.Parallel()
	_, err := newServer(t).construct(good("name", text("panics"), "etcd.peers.0.name", text("panics"),
		"etcd.auth", object("password", text("hunter2hunter2"))), false)
	require.ErrorContains(t, err, `quorum:Member "etcd-1": stopped by a fault in the quorum package`)
	assert.NotContains(t, err.Error(), "hunter2")
}
