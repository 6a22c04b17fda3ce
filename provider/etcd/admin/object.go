package admin

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Object is what a resource manages in etcd: a user, a role, a key.
type Object struct {
	Kind, Name string
	Etcd       host.EtcdConnection
}

func (o Object) String() string { return o.Kind + " " + o.Name }

// objects are those of the resources of the running program that the engine has
// checked so far.
type objects struct {
	lock sync.Mutex
	of   map[urn.URN]notedObject
}

type notedObject struct {
	Object
	kept bool // whether it is in the state, and the resource is not replaced
	made bool // whether this run has created it
}

// InProgram notes the object of the resource that is being checked. before is the
// name of the object that the resource has in the state, if any.
func (o Object) InProgram(ctx context.Context, before string) {
	all, u := running.Of[objects](ctx), running.URN(ctx)
	all.lock.Lock()
	defer all.lock.Unlock()
	if all.of == nil {
		all.of = map[urn.URN]notedObject{}
	}
	// The engine checks a resource that it replaces once more, as if there were no state.
	all.of[u] = notedObject{Object: o, kept: before == o.Name}
}

// Made notes that the resource has created the object.
func (o Object) Made(ctx context.Context) {
	all, u := running.Of[objects](ctx), running.URN(ctx)
	all.lock.Lock()
	defer all.lock.Unlock()
	if n, has := all.of[u]; has {
		n.made = true
		all.of[u] = n
	}
}

// inProgram returns the objects noted: that of the resource that the provider is
// called for, and those of all others.
func inProgram(ctx context.Context) (own *notedObject, others map[urn.URN]notedObject) {
	all, u := running.Of[objects](ctx), running.URN(ctx)
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
func (o Object) same(other Object) bool {
	return o.Kind == other.Kind && o.Name == other.Name && together(o.Etcd, other.Etcd)
}

// other is another resource of the program that manages the same object, or "".
func (o Object) other(ctx context.Context) urn.URN {
	_, others := inProgram(ctx)
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
func (o Object) owner(ctx context.Context) urn.URN {
	if own, _ := inProgram(ctx); own != nil && o.same(own.Object) && (own.kept || own.made) {
		return running.URN(ctx)
	}
	return o.other(ctx)
}

// MayAdopt reports whether an existing object may be one that this resource created
// in an update that was killed before the state was saved: not if another resource of
// the program manages it.
func (o Object) MayAdopt(ctx context.Context) bool {
	own, _ := inProgram(ctx)
	return own != nil && o.other(ctx) == ""
}

// connections are the ways to reach a cluster as the user of c: first those of
// the program, since what the state has may be out of date, and then c.
func connections(ctx context.Context, c host.EtcdConnection) (all []host.EtcdConnection) {
	_, others := inProgram(ctx)
	for _, u := range slices.Sorted(maps.Keys(others)) {
		if other := others[u].Etcd; together(other, c) && sameUser(other, c) {
			all = append(all, other)
		}
	}
	var distinct []host.EtcdConnection
	for _, one := range append(all, c) {
		if !slices.ContainsFunc(distinct, func(d host.EtcdConnection) bool { return reflect.DeepEqual(d, one) }) {
			distinct = append(distinct, one)
		}
	}
	return distinct
}

// together reports whether two connections are to the same cluster: whether they
// share an endpoint.
func together(a, b host.EtcdConnection) bool {
	return slices.ContainsFunc(a.Endpoints, func(e string) bool { return slices.Contains(b.Endpoints, e) })
}

// sameUser reports whether etcd knows both by the same name.
func sameUser(a, b host.EtcdConnection) bool {
	if a.Username != nil || b.Username != nil {
		return ptr.Value(a.Username) == ptr.Value(b.Username)
	}
	return commonName(ptr.Value(a.ClientCert)) == commonName(ptr.Value(b.ClientCert))
}

func commonName(text string) string {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return ""
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return ""
	}
	return cert.Subject.CommonName
}

// InProgram notes how the program reaches the cluster. HealthArgs implements inputs.Noted.
func (a HealthArgs) InProgram(ctx context.Context, _ property.Map) {
	Object{"gate", running.URN(ctx).Name(), a.Etcd}.InProgram(ctx, "")
}

// InProgram notes which member the program has. MemberArgs implements inputs.Noted.
func (a MemberArgs) InProgram(ctx context.Context, before property.Map) {
	Object{"member", a.Name, a.Etcd}.InProgram(ctx, guard.Text(before.Get("name")))
}
