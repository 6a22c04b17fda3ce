// Package object has what resources share that are objects in a service, such as
// a user of etcd or a database of PostgreSQL: which resource of the program manages
// which, whether one that is there already may be taken for one's own, and what
// becomes of them while the service is unavailable.
//
// It connects to nothing: a Connection says how a service is reached.
package object

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Connection is how a service is reached, and as whom.
type Connection[C any] interface {
	Service() string       // what messages call it
	Together(other C) bool // whether both are to the same cluster, as far as is known
	SameUser(other C) bool // whether the service knows both by the same name
	Outage() string        // what an outage of it is remembered by
}

// Object is what a resource manages in a service: a user, a role, a key.
type Object[C Connection[C]] struct {
	Kind, Name string
	By         C
}

func (o Object[C]) String() string { return o.Kind + " " + o.Name }

// objects are those of the resources of the running program that the engine has
// checked so far.
type objects[C Connection[C]] struct {
	lock sync.Mutex
	of   map[urn.URN]noted[C]
}

type noted[C Connection[C]] struct {
	Object[C]
	kept bool // whether it is in the state, and the resource is not replaced
	made bool // whether this run has created it
}

// InProgram notes the object of the resource that is being checked. before is the
// name of the object that the resource has in the state, if any.
func (o Object[C]) InProgram(ctx context.Context, before string) {
	all, u := running.Of[objects[C]](ctx), running.URN(ctx)
	all.lock.Lock()
	defer all.lock.Unlock()
	if all.of == nil {
		all.of = map[urn.URN]noted[C]{}
	}
	// The engine checks a resource that it replaces once more, as if there were no state.
	all.of[u] = noted[C]{Object: o, kept: before == o.Name}
}

// Made notes that the resource has created the object.
func (o Object[C]) Made(ctx context.Context) {
	all, u := running.Of[objects[C]](ctx), running.URN(ctx)
	all.lock.Lock()
	defer all.lock.Unlock()
	if n, has := all.of[u]; has {
		n.made = true
		all.of[u] = n
	}
}

// inProgram returns the objects noted: that of the resource that the provider is
// called for, and those of all others.
func inProgram[C Connection[C]](ctx context.Context) (own *noted[C], others map[urn.URN]noted[C]) {
	all, u := running.Of[objects[C]](ctx), running.URN(ctx)
	all.lock.Lock()
	defer all.lock.Unlock()
	others = maps.Clone(all.of)
	if n, has := others[u]; has {
		own = &n
		delete(others, u)
	}
	return own, others
}

// same reports whether both are the same object of the same cluster, as far as is known.
func (o Object[C]) same(other Object[C]) bool {
	return o.Kind == other.Kind && o.Name == other.Name && o.By.Together(other.By)
}

// Other is another resource of the program that manages the same object, or "".
func (o Object[C]) Other(ctx context.Context) urn.URN {
	_, others := inProgram[C](ctx)
	for u, other := range others {
		if o.same(other.Object) {
			return u
		}
	}
	return ""
}

// owner is the resource of the program that manages an object which is about to be
// deleted, or "": another resource, since one may be renamed in the program; or the
// same one, if it was replaced and has created the object again.
func (o Object[C]) owner(ctx context.Context) urn.URN {
	if own, _ := inProgram[C](ctx); own != nil && o.same(own.Object) && (own.kept || own.made) {
		return running.URN(ctx)
	}
	return o.Other(ctx)
}

// MayAdopt reports whether an existing object may be one that this resource created
// in an update that was killed before the state was saved: not if another resource of
// the program manages it.
func (o Object[C]) MayAdopt(ctx context.Context) bool {
	own, _ := inProgram[C](ctx)
	return own != nil && o.Other(ctx) == ""
}

// Adopted warns that the object existed, and that the resource manages it now.
func (o Object[C]) Adopted(ctx context.Context) {
	p.GetLogger(ctx).Warning(fmt.Sprintf("%s already existed in %s with these values, as after an interrupted update: this resource manages it now", o, o.By.Service()))
}

// connections are the ways to reach a cluster as the user of c: first those of
// the program, since what the state has may be out of date, and then c.
func connections[C Connection[C]](ctx context.Context, c C) (all []C) {
	_, others := inProgram[C](ctx)
	for _, u := range slices.Sorted(maps.Keys(others)) {
		if other := others[u].By; other.Together(c) && other.SameUser(c) {
			all = append(all, other)
		}
	}
	var distinct []C
	for _, one := range append(all, c) {
		if !slices.ContainsFunc(distinct, func(d C) bool { return reflect.DeepEqual(d, one) }) {
			distinct = append(distinct, one)
		}
	}
	return distinct
}
