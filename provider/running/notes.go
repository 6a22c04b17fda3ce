package running

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
)

// notes are what is known by names.
type notes[T any] struct {
	lock sync.Mutex
	all  map[string]T
}

// Leader is which node of a cluster led when that was last checked, and in which of PostgreSQL's
// timelines.
type Leader struct {
	Name     string
	Timeline float64
}

// Note has change what this run knows as a T by a name.
func Note[T any](ctx context.Context, name string, change func(*T)) {
	n := Of[notes[T]](ctx)
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.all == nil {
		n.all = map[string]T{}
	}
	now := n.all[name]
	change(&now)
	n.all[name] = now
}

// Noted is what this run knows as a T by a name, and whether it knows anything.
func Noted[T any](ctx context.Context, name string) (T, bool) {
	n := Of[notes[T]](ctx)
	n.lock.Lock()
	defer n.lock.Unlock()
	now, has := n.all[name]
	return now, has
}

// Beside is what a resource with a name is noted by, for those that are children
// of the same component as the one that the provider is called for. Components
// of different types may have one name.
func Beside(ctx context.Context, name string) string {
	if URN(ctx) == "" {
		return name
	}
	types := string(URN(ctx).QualifiedType())
	return types[:max(0, strings.LastIndex(types, urn.TypeDelimiter))] + urn.TypeDelimiter + name
}

// InCluster reports whether a resource is a child of a cluster, whose ClusterChange tells what changes.
func InCluster(resource urn.URN) bool {
	types := strings.Split(string(resource.QualifiedType()), urn.TypeDelimiter)
	return len(types) > 1 && slices.Contains([]string{"quorum:index:EtcdCluster", "quorum:index:PostgresCluster"}, types[len(types)-2])
}

// InComponent reports whether a component has made a resource, so that its inputs are none of the program's.
func InComponent(resource urn.URN) bool {
	return strings.Contains(string(resource.QualifiedType()), urn.TypeDelimiter)
}

// below is the same for the children of a component.
func below(component urn.URN, name string) string {
	if component == "" {
		return name
	}
	return string(component.QualifiedType()) + urn.TypeDelimiter + name
}
