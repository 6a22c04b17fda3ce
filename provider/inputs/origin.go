package inputs

import (
	"maps"
	"slices"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// origin is what a value takes over from those around it.
type origin struct {
	secret bool
	deps   []urn.URN
	open   bool // it has more, which is not known yet
}

func (o origin) and(v property.Value) origin {
	return origin{o.secret || v.Secret(), append(slices.Clone(o.deps), v.Dependencies()...), o.open}
}

// with is what a value takes over from one in it.
func (o origin) with(part origin) origin {
	return origin{o.secret || part.secret, append(o.deps, part.deps...), o.open || part.open}
}

// rest is what an object at path has that is not known yet.
func (r *reader) rest(spec pschema.ObjectTypeSpec, plain map[string]property.Value, all origin, path string) {
	for _, key := range slices.Sorted(maps.Keys(spec.Properties)) {
		if _, has := plain[key]; has {
			continue
		}
		at := check.Join(path, key)
		r.doubtful = append(r.doubtful, at)
		value, _ := r.node(property.New(property.Computed), all, at)
		if slices.Contains(spec.Required, key) {
			plain[key] = value
		}
	}
}
