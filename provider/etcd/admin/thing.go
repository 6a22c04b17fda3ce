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

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Thing is what a resource is of in etcd: a user, a role, a key.
type Thing struct {
	Kind, Name string
	Etcd       host.EtcdConnection
}

func (t Thing) String() string { return t.Kind + " " + t.Name }

// things are those of the program that runs, as far as its resources have been
// checked.
type things struct {
	lock sync.Mutex
	of   map[urn.URN]noted
}

type noted struct {
	Thing
	kept bool // the state has it, and the resource is not replaced
	made bool // by this run
}

// InProgram notes what the resource is of that is checked. before is the name
// of the thing that it has in the state, if any.
func (t Thing) InProgram(ctx context.Context, before string) {
	p, u := running.Of[things](ctx), running.URN(ctx)
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.of == nil {
		p.of = map[urn.URN]noted{}
	}
	// The engine checks a resource that it replaces once more, as if there were no state.
	p.of[u] = noted{Thing: t, kept: before == t.Name}
}

// Made notes that the resource has been made of the thing.
func (t Thing) Made(ctx context.Context) {
	p, u := running.Of[things](ctx), running.URN(ctx)
	p.lock.Lock()
	defer p.lock.Unlock()
	if n, has := p.of[u]; has {
		n.made = true
		p.of[u] = n
	}
}

// inProgram are the things noted: that of the resource that the provider is
// called for, and those of all others.
func inProgram(ctx context.Context) (own *noted, others map[urn.URN]noted) {
	p, u := running.Of[things](ctx), running.URN(ctx)
	p.lock.Lock()
	defer p.lock.Unlock()
	others = maps.Clone(p.of)
	if n, has := others[u]; has {
		own = &n
		delete(others, u)
	}
	return own, others
}

// same reports whether two are one in the same cluster, as far as can be told.
func (t Thing) same(other Thing) bool {
	return t.Kind == other.Kind && t.Name == other.Name && together(t.Etcd, other.Etcd)
}

// other is another resource of the program that is of the same thing, or "".
func (t Thing) other(ctx context.Context) urn.URN {
	_, others := inProgram(ctx)
	for u, o := range others {
		if t.same(o.Thing) {
			return u
		}
	}
	return ""
}

// owner is the resource of the program that a thing belongs to, although it is
// to be deleted, or "": another one, since a resource may get another name in
// the program; or the new one of a resource that was replaced by itself.
func (t Thing) owner(ctx context.Context) urn.URN {
	if own, _ := inProgram(ctx); own != nil && t.same(own.Thing) && (own.kept || own.made) {
		return running.URN(ctx)
	}
	return t.other(ctx)
}

// MayBeOurs reports whether a thing that is there can be what this resource made
// in an update that was killed before the state was saved. It cannot where
// another resource of the program is of it.
func (t Thing) MayBeOurs(ctx context.Context) bool {
	own, _ := inProgram(ctx)
	return own != nil && t.other(ctx) == ""
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
	Thing{"gate", running.URN(ctx).Name(), a.Etcd}.InProgram(ctx, "")
}

// InProgram notes which member the program has. MemberArgs implements inputs.Noted.
func (a MemberArgs) InProgram(ctx context.Context, before property.Map) {
	Thing{"member", a.Name, a.Etcd}.InProgram(ctx, text(before.Get("name")))
}
