// Package running has what a provider knows of the run of the engine that it
// was started for.
//
// A provider is told about each resource alone. Two things that it needs now
// and then lie beyond that:
//
// Whether a program runs. What is taken out of a program must really be
// deleted, while the deletion of a whole stack must go on although what its
// resources lie in is unavailable or gone already. Delete is called alike for both.
// But Check and Construct, and CheckConfig of the provider itself, the engine
// calls just for what a program registers: in `up`, in `preview` and with
// `--run-program`, and never in a plain `destroy` or `refresh`. All that a
// program registers comes before what is no longer in it is deleted. A program
// that has no resource of this package left is not told from none.
//
// What the program says of other resources, as far as they have been checked: Of
// and Note keep that, for whoever has a type for it.
//
// All this is in memory, and one provider's own: another process of it, as the
// engine starts for another version, does not know it. That of a component may
// be another than that of its children, which it tells by Tell.
package running

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
)

type run struct {
	program atomic.Bool
	lock    sync.Mutex
	values  map[reflect.Type]any
}

type (
	runKey struct{}
	urnKey struct{}
)

// Program reports whether a program runs, as far as has been seen.
func Program(ctx context.Context) bool {
	r, has := ctx.Value(runKey{}).(*run)
	return has && r.program.Load()
}

// URN is that of the resource that the provider is called for.
func URN(ctx context.Context) urn.URN {
	u, _ := ctx.Value(urnKey{}).(urn.URN)
	return u
}

// Of is the T of this run: zero when first asked for, and the same from then on.
func Of[T any](ctx context.Context) *T {
	r, has := ctx.Value(runKey{}).(*run)
	if !has {
		return new(T)
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	key := reflect.TypeFor[T]()
	if r.values[key] == nil {
		r.values[key] = new(T)
	}
	return r.values[key].(*T)
}

// Track is a provider whose resources know all this from their contexts.
func Track(inner p.Provider) p.Provider {
	r := &run{values: map[reflect.Type]any{}}
	with := func(ctx context.Context, u urn.URN) context.Context {
		return context.WithValue(context.WithValue(ctx, runKey{}, r), urnKey{}, u)
	}
	outer := inner.WithDefaults()
	inner = outer
	outer.CheckConfig = func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		r.program.Store(true)
		return inner.CheckConfig(ctx, req)
	}
	outer.Construct = func(ctx context.Context, req p.ConstructRequest) (p.ConstructResponse, error) {
		r.program.Store(true)
		return inner.Construct(with(ctx, req.Urn), req)
	}
	outer.Check = func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		r.program.Store(true)
		return inner.Check(with(ctx, req.Urn), req)
	}
	outer.Diff = func(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
		return inner.Diff(with(ctx, req.Urn), req)
	}
	outer.Create = func(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
		return inner.Create(with(ctx, req.Urn), req)
	}
	outer.Read = func(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
		return inner.Read(with(ctx, req.Urn), req)
	}
	outer.Update = func(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
		return inner.Update(with(ctx, req.Urn), req)
	}
	outer.Invoke = func(ctx context.Context, req p.InvokeRequest) (p.InvokeResponse, error) {
		if ctx = with(ctx, ""); req.Token == tellToken {
			return hear(ctx, req), nil
		}
		return inner.Invoke(ctx, req)
	}
	outer.Delete = func(ctx context.Context, req p.DeleteRequest) error {
		return inner.Delete(with(ctx, req.Urn), req)
	}
	return outer
}
