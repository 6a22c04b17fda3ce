package inputs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// reader walks raw inputs beside their schema.
//
// What it returns has scalars of the type wanted, each secret if it is itself
// or if it is in something that is, and no dependencies. Where a value is
// unknown, missing or refused it has a computed one, which infer decodes as
// zero: so that the rest can still be checked.
type reader struct {
	inputSchema

	partial  []string          // inputs that need not be complete: others are laid over them
	open     map[string]string // sources.open
	problems check.List
	doubtful []string // paths that are unknown or have a problem
	nulls    []string // paths that have null
	decisive []string // unknown paths of objects and of lists of them
	leaves   map[string]property.Value
	secrets  secrets
}

func (r *reader) value(t pschema.TypeSpec, v property.Value, from origin, path string) (property.Value, origin) {
	from = from.and(v)
	token, isRef := strings.CutPrefix(t.Ref, "#/types/")
	named, found := r.types[token]
	switch {
	case v.IsComputed():
		r.doubtful = append(r.doubtful, path)
		if _, isObject := r.objectOf(t); isObject || r.isListOfObjects(t) {
			r.decisive = append(r.decisive, path)
		}
		return r.node(v, from, path)
	case isRef && found && len(named.Enum) > 0:
		return r.node(r.enum(named, v, from, path), from, path)
	case isRef && found:
		return r.walk(named.ObjectTypeSpec, v, from, path)
	case t.Ref != "":
		return r.node(bare(v), from, path) // any value, or of another package: not ours to check
	case t.Type == "array" && t.Items != nil:
		return r.list(*t.Items, v, from, path)
	case t.Type == "object" && t.AdditionalProperties != nil:
		return r.dict(*t.AdditionalProperties, v, from, path)
	}
	plain, reason := scalar(t.Type, v, from.secret)
	if reason != "" {
		plain = r.refuse(path, "%s", reason)
	}
	return r.node(plain, from, path)
}

func (r *reader) walk(spec pschema.ObjectTypeSpec, v property.Value, from origin, path string) (property.Value, origin) {
	if !v.IsMap() {
		return r.node(r.refuse(path, "must be an object, not %s", kind(v)), from, path)
	}
	given := v.AsMap().AsMap()
	plain := map[string]property.Value{}
	all := from
	for _, key := range slices.Sorted(maps.Keys(given)) {
		prop, known := spec.Properties[key]
		at := check.Join(path, key)
		switch {
		case strings.HasPrefix(key, "__"): // the SDKs' own
		case !known:
			r.refuse(member(path, key), "is not known here%s", suggest(key, slices.Sorted(maps.Keys(spec.Properties))))
		case given[key].IsNull(): // as if absent
			r.nulls = append(r.nulls, at)
		default:
			r.secrets.collect(given[key], prop.Secret || from.secret)
			sub := origin{secret: from.secret || prop.Secret, deps: from.deps}
			var part origin
			plain[key], part = r.value(prop.TypeSpec, given[key], sub, at)
			all = all.with(part)
		}
	}
	if unknown := r.open[path]; unknown != "" {
		all.open = true
		r.decisive = append(r.decisive, unknown)
		r.rest(spec, plain, all, path)
	}
	for _, key := range spec.Required {
		if _, ok := plain[key]; ok || overlaps(path, r.partial, true) {
			continue
		}
		reason := "is required"
		if _, null := given[key]; null {
			reason += ", and is null" + whyNull
		}
		plain[key] = r.refuse(check.Join(path, key), "%s", reason)
	}
	return r.node(property.New(plain), all, path)
}

// whyNull is what a program gives null for without knowing: Pulumi YAML takes it for an output that is not there.
const whyNull = ": if it comes from another stack, that stack is not up, or has no output of this name. Run `pulumi up` there first, or check the name"

// member is the path of a key that may be any text.
func member(path, key string) string {
	if check.Matches(`[A-Za-z0-9_-]+`, key) {
		return check.Join(path, key)
	}
	return path + "[" + check.Quote(key) + "]"
}

func (r *reader) dict(items pschema.TypeSpec, v property.Value, from origin, path string) (property.Value, origin) {
	if !v.IsMap() {
		return r.node(r.refuse(path, "must be a map, not %s", kind(v)), from, path)
	}
	plain := map[string]property.Value{}
	all := from
	for key, item := range v.AsMap().AllStable {
		if strings.HasPrefix(key, "__") || item.IsNull() && items.Items == nil {
			continue
		}
		if item.IsNull() { // neither an empty list nor none
			plain[key] = r.refuse(check.Join(path, key), "must not be null"+whyNull)
			continue
		}
		var part origin
		plain[key], part = r.value(items, item, from, check.Join(path, key))
		all = all.with(part)
	}
	return r.node(property.New(plain), all, path)
}

func (r *reader) list(items pschema.TypeSpec, v property.Value, from origin, path string) (property.Value, origin) {
	if !v.IsArray() {
		return r.node(r.refuse(path, "must be a list, not %s", kind(v)), from, path)
	}
	plain := []property.Value{}
	all := from
	for i, item := range v.AsArray().All {
		at := fmt.Sprintf("%s[%d]", path, i)
		if item.IsNull() {
			plain = append(plain, r.refuse(at, "must not be null"+whyNull))
			continue
		}
		element, part := r.value(items, item, from, at)
		plain = append(plain, element)
		all = all.with(part)
	}
	return r.node(property.New(plain), all, path)
}

func (r *reader) enum(named pschema.ComplexTypeSpec, v property.Value, from origin, path string) property.Value {
	plain, reason := scalar(named.Type, v, from.secret)
	if reason != "" {
		return r.refuse(path, "%s", reason)
	}
	allowed := make([]string, len(named.Enum))
	for i, e := range named.Enum {
		allowed[i] = fmt.Sprint(e.Value)
	}
	found := text(plain)
	switch {
	case slices.Contains(allowed, found):
		return plain
	case from.secret:
		return r.refuse(path, "must be %s", check.Or(allowed))
	}
	return r.refuse(path, "must be %s, not %s", check.Or(allowed), check.Quote(found))
}

func (r *reader) refuse(path, format string, args ...any) property.Value {
	r.problems.Add(path, format, args...)
	r.doubtful = append(r.doubtful, path)
	return property.New(property.Computed)
}

// node keeps the value at path for Inputs, as one that is unknown as a whole
// if anything in it is.
func (r *reader) node(plain property.Value, all origin, path string) (property.Value, origin) {
	whole := plain
	if plain.HasComputed() || all.open {
		whole = property.New(property.Computed)
	}
	r.leaves[path] = whole.WithSecret(all.secret).WithDependencies(all.deps)
	if !plain.IsMap() && !plain.IsArray() {
		plain = plain.WithSecret(all.secret)
	}
	return plain, all
}
