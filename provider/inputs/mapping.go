package inputs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Mapping says, field by field, which inputs of a component become inputs of
// another one that it makes. The same statement gives the other one its values,
// its outputs (see Derive) and, for errors, the way back.
type Mapping[A, B any] struct {
	from  *A
	to    *B
	paths map[string]string // of inputs of B, by that of B
}

// Map begins a Mapping between two structs of inputs.
func Map[A, B any](from *A, to *B) *Mapping[A, B] {
	return &Mapping[A, B]{from, to, map[string]string{}}
}

// Same takes over each field of to that from has by the same name, but for those
// that except points to. Both are pointers to structs within those of the Mapping,
// or to these; without from there is nothing to take over.
func (m *Mapping[A, B]) Same(to, from any, except ...any) {
	target, source := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	if source.IsNil() {
		return
	}
	for _, field := range reflect.VisibleFields(target.Type()) {
		name := inputName(field)
		there, has := fieldOf(source.Type().Elem(), name)
		pointer := target.FieldByIndex(field.Index).Addr().Interface()
		if name != "" && has && !slices.Contains(except, pointer) {
			m.Take(pointer, source.Elem().FieldByIndex(there.Index).Addr().Interface())
		}
	}
}

// Take takes over one field. Both are pointers to it. One of the fields may be a
// pointer where the other is a value.
func (m *Mapping[A, B]) Take(to, from any) {
	target, source := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	switch {
	case source.Type() == target.Type():
		target.Set(source)
	case source.Type() == reflect.PointerTo(target.Type()):
		if target.SetZero(); !source.IsNil() {
			target.Set(source.Elem())
		}
	case target.Type() == reflect.PointerTo(source.Type()):
		target.Set(source.Addr())
	default:
		panic(fmt.Sprintf("inputs: a %s cannot be taken from a %s", target.Type(), source.Type()))
	}
	m.From(to, pathTo(m.from, from))
}

// From says that the field that to points to is what the input at a path is. It
// is for what is chosen while the program runs; the field is set already.
func (m *Mapping[A, B]) From(to any, path string) { m.paths[pathTo(m.to, to)] = path }

// To are the inputs of the component that is made.
func (m *Mapping[A, B]) To() *B { return m.to }

// Source is the path of the input that the one at path is, or is in. What is taken
// from nowhere keeps its path.
func (m *Mapping[A, B]) Source(path string) string {
	longest := ""
	for to := range m.paths {
		if check.Within(path, to) && len(to) > len(longest) {
			longest = to
		}
	}
	if longest == "" {
		return path
	}
	return m.paths[longest] + strings.TrimPrefix(path, longest)
}

// Sources gives problems of what is made the paths of the inputs that they are about.
func (m *Mapping[A, B]) Sources(problems check.List) check.List {
	for i, problem := range problems {
		problems[i].Path = m.Source(problem.Path)
		for j, path := range problem.Needs {
			problem.Needs[j] = m.Source(path)
		}
	}
	return problems
}

// pathTo is the path of a field in a struct; both are given as pointers.
func pathTo(root, field any) string {
	path, found := find(reflect.ValueOf(root).Elem(), reflect.ValueOf(field))
	if !found {
		panic(fmt.Sprintf("inputs: a %T has no such input: %T", root, field))
	}
	return path
}

// find looks below v for what a pointer points to.
func find(v reflect.Value, pointer reflect.Value) (path string, found bool) {
	if v.CanAddr() && v.Type() == pointer.Type().Elem() && v.Addr().Pointer() == pointer.Pointer() {
		return "", true
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return find(v.Elem(), pointer)
		}
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(v.Type()) {
			if name := inputName(field); name != "" {
				if path, found = find(v.FieldByIndex(field.Index), pointer); found {
					return check.Join(name, path), true
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if path, found = find(v.Index(i), pointer); found {
				return check.Join(check.Index("", i), path), true
			}
		}
	}
	return "", false
}
