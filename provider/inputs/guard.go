package inputs

import (
	"fmt"
	"reflect"
	"strings"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// guard finds what infer takes without a word and then gets wrong.
type guard struct {
	types map[string]pschema.ComplexTypeSpec
	seen  map[reflect.Type]bool
	errs  []error
}

func (g *guard) add(format string, args ...any) { g.errs = append(g.errs, fmt.Errorf(format, args...)) }

func (g *guard) object(t reflect.Type, spec pschema.ObjectTypeSpec) {
	if g.seen[t] {
		return
	}
	g.seen[t] = true
	for _, field := range reflect.VisibleFields(t) {
		prop, ok := spec.Properties[inputName(field)]
		switch {
		case !ok:
		case prop.Default != nil && field.Type.Kind() != reflect.Pointer:
			g.add("%s.%s has a default and must be a pointer: zero is not told from absent", t, field.Name)
		case field.Type.Implements(reflect.TypeFor[pulumi.Input]()):
			g.add("%s.%s must be plain: the Pulumi input is had from Inputs", t, field.Name)
		default:
			g.value(field.Type, prop.TypeSpec)
		}
	}
}

func (g *guard) value(t reflect.Type, spec pschema.TypeSpec) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	named, ok := g.types[strings.TrimPrefix(spec.Ref, "#/types/")]
	switch {
	case t.Kind() == reflect.Struct && ok:
		g.object(t, named.ObjectTypeSpec)
	case t.Kind() == reflect.Slice && spec.Items != nil:
		g.value(t.Elem(), *spec.Items)
	case t.Kind() == reflect.Map && spec.AdditionalProperties != nil:
		g.value(t.Elem(), *spec.AdditionalProperties)
	}
}

func (g *guard) outputs(t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if name, flags, has := strings.Cut(field.Tag.Get("pulumi"), ","); has {
			g.add("%s.%s: output %s must not be %q: its key would be \"%s,%[4]s\"", t, field.Name, name, flags, name)
		}
	}
}
