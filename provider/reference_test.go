package provider

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// reference is the schema, and where machinePage has tables of its types.
type reference struct {
	schema.PackageSpec
	sections map[string]string
}

func newReference(t testing.TB) reference {
	r := reference{schemaOf[schema.PackageSpec](t), map[string]string{}}
	page := read(t, filepath.Join(docs, machinePage))
	for _, at := range table.FindAllStringSubmatchIndex(page, -1) {
		titles := heading.FindAllStringSubmatch(page[:at[0]], -1)
		kind, input := page[at[4]:at[5]], page[at[8]:at[9]]
		of, known := r.inputs(kind).Properties[input]
		require.Truef(t, known, "%s has no input %s", kind, input)
		r.sections[named(of.TypeSpec)] = titles[len(titles)-1][1]
	}
	return r
}

func (r reference) inputs(kind string) schema.ObjectTypeSpec {
	if f, is := r.Functions["quorum:index:"+kind]; is {
		return *f.Inputs
	}
	of := r.Resources["quorum:index:"+kind]
	return schema.ObjectTypeSpec{Properties: of.InputProperties, Required: of.RequiredInputs}
}

// row is an input or output by its path.
type row struct{ path, kind, fallback, text string }

func (r reference) table(kind, which, below string) string {
	var b strings.Builder
	if which == "outputs" {
		b.WriteString("| output | type | what it is |\n|---|---|---|\n")
		if f, is := r.Functions["quorum:index:"+kind]; is {
			for _, o := range r.rows("", schema.ObjectTypeSpec{Properties: f.ReturnType.ObjectTypeSpec.Properties}) {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.path, o.kind, o.text)
			}
			return b.String()
		}
		of := r.Resources["quorum:index:"+kind]
		outputs := maps.Clone(of.Properties)
		maps.DeleteFunc(outputs, func(name string, _ schema.PropertySpec) bool { // a custom resource has its inputs among them
			_, input := of.InputProperties[name]
			return input && !of.IsComponent
		})
		for _, o := range r.rows("", schema.ObjectTypeSpec{Properties: outputs}) {
			name := strings.FieldsFunc(o.path, func(c rune) bool { return c == '.' || c == '[' })[0]
			if _, input := r.inputs(kind).Properties[name]; input && o.path != name {
				continue // what it has is said there
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.path, o.kind, o.text)
		}
		return b.String()
	}
	of, path := r.inputs(kind), ""
	if below != "" {
		path = below + suffix(of.Properties[below].TypeSpec)
		of = r.Types[named(of.Properties[below].TypeSpec)].ObjectTypeSpec
	}
	rows := r.rows(path, of)
	if below == "" && r.Resources["quorum:index:"+kind].IsComponent { // what is special to a server comes first
		slices.SortStableFunc(rows, func(a, b row) int { return r.everywhere(a.path) - r.everywhere(b.path) })
	}
	b.WriteString("| input | type | default | what it is |\n|---|---|---|---|\n")
	for _, in := range rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", in.path, in.kind, in.fallback, in.text)
	}
	return b.String()
}

// rows are the properties of an object and all below them, but for objects
// that have a section.
func (r reference) rows(path string, of schema.ObjectTypeSpec) (rows []row) {
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		property := of.Properties[name]
		in := row{check.Join(path, name), r.kind(property.TypeSpec), "", strings.ReplaceAll(property.Description, "|", `\|`)}
		if m := fallback.FindStringSubmatch(in.text); m != nil {
			in.text, in.fallback = m[1], m[2]
		}
		if slices.Contains(of.Required, name) {
			in.fallback = "**required**"
		}
		if property.Secret {
			in.kind += ", secret"
		}
		token := named(property.TypeSpec)
		section, apart := r.sections[token]
		if apart {
			in.text += fmt.Sprintf(" See [%s](%s#%s).", section, machinePage, anchor(section))
		}
		rows = append(rows, in)
		if inner := r.Types[token]; !apart && len(inner.Properties) > 0 {
			rows = append(rows, r.rows(in.path+suffix(property.TypeSpec), inner.ObjectTypeSpec)...)
		}
	}
	return rows
}

// everywhere is 1 for inputs that all servers have.
func (r reference) everywhere(path string) int {
	name, _, _ := strings.Cut(path, ".")
	for _, of := range r.Resources {
		_, machine := of.InputProperties["libvirt"]
		_, named := of.InputProperties["name"] // clusters are not
		if _, has := of.InputProperties[name]; machine && named && !has {
			return 0
		}
	}
	return 1
}

// named is the token of the type that a value is, or is a list or map of.
func named(t schema.TypeSpec) string {
	for _, inner := range []*schema.TypeSpec{t.Items, t.AdditionalProperties} {
		if inner != nil {
			return named(*inner)
		}
	}
	return strings.TrimPrefix(t.Ref, "#/types/")
}

// suffix goes between the path of a value and the names of its own fields.
func suffix(t schema.TypeSpec) string {
	switch {
	case t.Items != nil:
		return "[]"
	case t.AdditionalProperties != nil:
		return ".<name>"
	}
	return ""
}

// kind is a type in words.
func (r reference) kind(t schema.TypeSpec) string {
	switch of := r.Types[strings.TrimPrefix(t.Ref, "#/types/")]; {
	case t.Items != nil:
		return "list of " + r.kind(*t.Items) + "s"
	case t.AdditionalProperties != nil:
		return "map of " + strings.Replace(r.kind(*t.AdditionalProperties)+"s", "list of strings", "lists of string", 1)
	case len(of.Enum) > 0:
		var allowed []string
		for _, value := range of.Enum {
			allowed = append(allowed, fmt.Sprintf("`%v`", value.Value))
		}
		return check.Or(allowed)
	case t.Ref != "":
		return "object"
	}
	return t.Type
}

// anchor is what GitHub makes of a heading.
func anchor(title string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}
