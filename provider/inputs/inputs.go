package inputs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// Inputs are the inputs of one component.
//
// Args is decoded once, before the component is built. That is enough: unknown
// values come only at preview, where nothing that depends on them runs; the
// engine calls Construct in an update when all are resolved.
type Inputs[A any] struct {
	// Args has plain values and defaults. What is unknown is there but zero: an
	// unknown optional value is no nil pointer and does not take its default.
	Args A

	leaves   map[string]pulumi.AnyOutput
	unknown  []string
	decisive []string // those of unknown that decide which resources there are
	secrets  secrets
	from     sources
	settings Settings
	served   map[tokens.Package]p.ProviderReference
}

// String is the input at a path such as "libvirt.networks[0].ip", or its
// default, for a child: unknown, secret and dependent as it was given. It is
// nil if there is none. A path that Args does not have panics, here and in all
// methods that take one; TestLookups of package provider finds such a path.
func (in Inputs[A]) String(path string) pulumi.StringPtrInput {
	if out, ok := in.leaf(path); ok {
		return fault.Apply(out, func(v any) *string { return as[string](v) }).(pulumi.StringPtrOutput)
	}
	return nil
}

// Int is String for a whole number.
func (in Inputs[A]) Int(path string) pulumi.IntPtrInput {
	if out, ok := in.leaf(path); ok {
		return fault.Apply(out, func(v any) *int { return as[int](v) }).(pulumi.IntPtrOutput)
	}
	return nil
}

// Bool is String for a truth value.
func (in Inputs[A]) Bool(path string) pulumi.BoolPtrInput {
	if out, ok := in.leaf(path); ok {
		return fault.Apply(out, func(v any) *bool { return as[bool](v) }).(pulumi.BoolPtrOutput)
	}
	return nil
}

// Strings is String for a list of strings.
func (in Inputs[A]) Strings(path string) pulumi.StringArrayInput {
	if out, ok := in.leaf(path); ok {
		return fault.Apply(out, func(v any) []string {
			var texts []string
			for list, i := reflect.ValueOf(v), 0; v != nil && i < list.Len(); i++ {
				texts = append(texts, *as[string](list.Index(i).Interface()))
			}
			return texts
		}).(pulumi.StringArrayOutput)
	}
	return nil
}

// RequiredString is String where a child wants one: "" if there is none.
func (in Inputs[A]) RequiredString(path string) pulumi.StringInput {
	if s := in.String(path); s != nil {
		return s.ToStringPtrOutput().Elem()
	}
	return pulumi.String("")
}

// RequiredInt is Int where a child wants one: 0 if there is none.
func (in Inputs[A]) RequiredInt(path string) pulumi.IntInput {
	if i := in.Int(path); i != nil {
		return i.ToIntPtrOutput().Elem()
	}
	return pulumi.Int(0)
}

// Known reports whether nothing at path, above or under it is unknown.
func (in Inputs[A]) Known(path string) bool {
	in.at(path)
	return !overlaps(path, in.unknown, false)
}

// Present reports whether the value at path is there, though something in it
// may be unknown.
func (in Inputs[A]) Present(path string) bool {
	in.at(path)
	return !overlaps(path, in.unknown, true)
}

// Given reports whether there is a value at path that is not just its default.
func (in Inputs[A]) Given(path string) bool {
	in.at(path)
	_, given := in.leaves[path]
	return given
}

// HasProvider reports whether the component was given a provider of a package, for its children.
func (in Inputs[A]) HasProvider(of string) bool {
	_, has := in.served[tokens.Package(of)]
	return has
}

// Complete reports whether nothing is unknown.
func (in Inputs[A]) Complete() bool { return len(in.unknown) == 0 }

// Part says by their paths which inputs something is made of.
type Part func(path string) bool

// AllBut are the inputs that are neither at nor under paths.
func AllBut(paths ...string) Part {
	return func(path string) bool { return !overlaps(path, paths, true) }
}

// Only are the inputs that are at or under paths.
func Only(paths ...string) Part {
	return func(path string) bool { return overlaps(path, paths, false) } // what is above is unknown as a whole
}

// Render is what render makes of a part of the inputs and of extra, such as the
// outputs of children: always secret, and unknown while anything of these is.
func Render[A any](
	in Inputs[A], extra pulumi.StringMap, of Part, render func(extra map[string]string) (any, error),
) pulumi.Output {
	made := fault.Try(in.all(extra, of), func(all []any) (any, error) {
		values, _ := all[0].(map[string]string)
		return render(values)
	})
	return pulumi.ToSecret(made)
}

// Text is what text makes of a part of the inputs: unknown and secret while anything of that part is.
func (in Inputs[A]) Text(of Part, text func() string) pulumi.StringOutput {
	return fault.Apply(in.all(nil, of), func([]any) string { return text() }).(pulumi.StringOutput)
}

// all are extra and the values of a part of the inputs.
func (in Inputs[A]) all(extra pulumi.StringMap, of Part) pulumi.ArrayOutput {
	parts := []any{extra.ToStringMapOutput()}
	for _, path := range in.ends() {
		if of(path) {
			parts = append(parts, in.leaves[path])
		}
	}
	return pulumi.All(parts...)
}

// ends are the paths of values that have none below them, and of those that are
// unknown as a whole, with something made for it below.
func (in Inputs[A]) ends() (paths []string) {
	inner := map[string]bool{"": true}
	for path := range in.leaves {
		for i := strings.LastIndexAny(path, ".["); i > 0; i = strings.LastIndexAny(path[:i], ".[") {
			inner[path[:i]] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(in.leaves)) {
		if !inner[path] || slices.Contains(in.unknown, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// at is the plain value at a path. One that Args does not have panics.
func (in Inputs[A]) at(path string) reflect.Value {
	value, err := lookup(reflect.ValueOf(in.Args), path)
	if err != nil {
		panic("inputs: " + err.Error())
	}
	return value
}

func (in Inputs[A]) leaf(path string) (pulumi.Output, bool) {
	value := in.at(path)
	if out, ok := in.leaves[path]; ok {
		return out, true
	}
	for _, unknown := range in.unknown {
		if check.Within(path, unknown) {
			return in.leaves[unknown], true
		}
	}
	if !value.IsValid() {
		return nil, false
	}
	return pulumi.ToOutput(value.Interface()), true
}

// as reads a scalar: numbers come as float64 from the engine, defaults as what
// the field is.
func as[T any](v any) *T {
	if v == nil {
		return nil
	}
	want := reflect.TypeFor[T]()
	got := reflect.ValueOf(v)
	sameKind := got.Kind() == want.Kind() || (got.CanFloat() || got.CanInt()) && want.Kind() == reflect.Int
	if !sameKind {
		panic(fmt.Sprintf("inputs: a %s was asked of a %s", want, got.Type()))
	}
	t := got.Convert(want).Interface().(T)
	return &t
}
