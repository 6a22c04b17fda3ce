package inputs

import (
	"os"
	"strings"
	"testing"

	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// settingsOf are those of a value of a type, as the input x.
func settingsOf(t pschema.TypeSpec, v property.Value) Settings {
	item := pschema.ObjectTypeSpec{Properties: map[string]pschema.PropertySpec{}}
	for _, name := range []string{"name", "n", "on", "p"} {
		item.Properties[name] = pschema.PropertySpec{TypeSpec: aText}
	}
	s := inputSchema{
		object: pschema.ObjectTypeSpec{Properties: map[string]pschema.PropertySpec{"x": {TypeSpec: t}}},
		types:  map[string]pschema.ComplexTypeSpec{"item": {ObjectTypeSpec: item}},
	}
	given := property.NewMap(map[string]property.Value{"x": v})
	return s.settingsOf(given, given)
}

var (
	aText   = pschema.TypeSpec{Type: "string"}
	texts   = pschema.TypeSpec{Type: "array", Items: &aText}
	aMap    = pschema.TypeSpec{Type: "object", AdditionalProperties: &aText}
	anItem  = pschema.TypeSpec{Ref: "#/types/item"}
	ofItems = pschema.TypeSpec{Type: "array", Items: &anItem}
)

func TestSettings(t *testing.T) {
	t.Parallel()
	certificate, err := os.ReadFile("../testdata/pki/ca.crt")
	require.NoError(t, err)
	unknown, text := property.New(property.Computed), func(s string) property.Value { return property.New(s) }
	object := func(name string, more ...property.Value) property.Value {
		m := property.NewMap(map[string]property.Value{"name": text(name)})
		for i := 0; i < len(more); i += 2 {
			m = m.Set(more[i].AsString(), more[i+1])
		}
		return property.New(m)
	}
	list := func(items ...property.Value) property.Value { return property.New(items) }
	const hush = "hush-hush"
	for name, c := range map[string]struct {
		of     pschema.TypeSpec
		given  property.Value
		plain  map[string]string
		secret []string
	}{
		"scalars are as they are written":     {anItem, object("a", text("n"), property.New(1500.0), text("on"), property.New(true)), map[string]string{"x.name": "a", "x.n": "1500", "x.on": "true"}, nil},
		"an empty text is seen":               {aText, text(""), map[string]string{"x": `""`}, nil},
		"keys that are no words are quoted":   {aMap, property.New(map[string]property.Value{"a b": text("1")}), map[string]string{`x["a b"]`: "1"}, nil},
		"a list of texts is one value":        {texts, list(text("a"), text("b")), map[string]string{"x": "[a, b]"}, nil},
		"items go by their names":             {ofItems, list(object("one", text("n"), text("1")), object("two", text("n"), text("2"))), map[string]string{"x[one].n": "1", "x[two].n": "2"}, nil},
		"or by their places":                  {ofItems, list(object("one", text("n"), text("1")), object("one", text("n"), text("2"))), map[string]string{"x[0].n": "1", "x[0].name": "one", "x[1].n": "2", "x[1].name": "one"}, nil},
		"unless one is not known":             {ofItems, list(object("one"), unknown), map[string]string{"x": ""}, []string{"x"}},
		"nor its name":                        {ofItems, list(property.New(map[string]property.Value{"name": unknown})), map[string]string{"x": ""}, []string{"x"}},
		"what is not known":                   {anItem, object("a", text("n"), unknown), map[string]string{"x.name": "a", "x.n": ""}, nil},
		"lines become one":                    {aText, text("a\n  b"), map[string]string{"x": "a b... (5 characters, " + check.Hash("a\n  b")[:8] + ")"}, nil},
		"spaces at its ends are seen":         {aText, text("%m [%p] "), map[string]string{"x": `"%m [%p] "`}, nil},
		"and two of them":                     {aText, text("a  b"), map[string]string{"x": "a  b"}, nil},
		"what a terminal would obey is not":   {aText, text("\x1b[2Ja\u202e"), map[string]string{"x": `"\x1b[2Ja\u202e"`}, nil},
		"nor in what is cut":                  {aText, text("\x1b[2J\na"), map[string]string{"x": `"\x1b[2J a"... (6 characters, ` + check.Hash("\x1b[2J\na")[:8] + ")"}, nil},
		"quotes are told from its own":        {aText, text(`"a "`), map[string]string{"x": `"\"a \""`}, nil},
		"a text with a comma from two texts":  {texts, list(text("a, b"), text("c")), map[string]string{"x": `["a, b", c]`}, nil},
		"a name that a terminal would obey":   {ofItems, list(object("\x1b[2J", text("n"), text("1"))), map[string]string{`x["\x1b[2J"].n`: "1"}, nil},
		"what is long is cut":                 {aText, text(strings.Repeat("a", 301)), map[string]string{"x": strings.Repeat("a", 40) + "... (301 characters, " + check.Hash(strings.Repeat("a", 301))[:8] + ")"}, nil},
		"certificates are told by their name": {aText, text(string(certificate)), map[string]string{"x": "certificate (CN=test CA until 2126-10-28; " + check.Hash(string(certificate))[:8] + ")"}, nil},
		"a secret":                            {anItem, object("a", text("p"), text(hush).WithSecret(true)), map[string]string{"x.name": "a"}, []string{"x.p"}},
		"an object that is secret":            {anItem, object(hush, text("n"), text("1")).WithSecret(true), map[string]string{}, []string{"x.name", "x.n"}},
		"a map that is secret":                {aMap, property.New(map[string]property.Value{hush: text("1")}).WithSecret(true), map[string]string{}, []string{"x"}},
		"items that are secret":               {ofItems, list(object(hush, text("n"), text("1"))).WithSecret(true), map[string]string{}, []string{"x[0].name", "x[0].n"}},
		"an item that is secret":              {ofItems, list(object("one", text("n"), text("1")), object(hush).WithSecret(true)), map[string]string{"x[0].name": "one", "x[0].n": "1"}, []string{"x[1].name"}},
		"no items":                            {ofItems, property.New([]property.Value{}), map[string]string{"x": "[]"}, nil},
		"an object without anything":          {anItem, property.New(property.Map{}), map[string]string{"x": "{}"}, nil},
		"a list with something unknown":       {texts, list(text("a"), unknown), map[string]string{"x": ""}, nil},
		"one with something unknown":          {anItem, object("a", text("n"), unknown).WithSecret(true), map[string]string{}, []string{"x.name", "x.n"}},
		"a list with a secret":                {texts, list(text("a"), text(hush).WithSecret(true)), map[string]string{}, []string{"x"}},
		"an address with a password":          {aText, text("http://me:" + hush + "@proxy:3128"), map[string]string{}, []string{"x"}},
		"addresses with a password":           {texts, list(text("http://me:" + hush + "@proxy:3128")), map[string]string{}, []string{"x"}},
		"addresses without":                   {aText, text("qemu+ssh://root@hypervisor/system"), map[string]string{"x": "qemu+ssh://root@hypervisor/system"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := settingsOf(c.of, c.given)
			assert.Equal(t, c.plain, found.Plain)
			var secret []string
			for path, hash := range found.Secret {
				secret = append(secret, path)
				assert.NotContains(t, hash, hush)
			}
			assert.ElementsMatch(t, c.secret, secret)
		})
	}
}

// TestSecretsOfSettingsDiffer has each change of a secret be one, also of its form.
func TestSecretsOfSettingsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range []property.Value{
		property.New("a"), property.New("b"), property.New([]property.Value{property.New("a"), property.New("b")}), property.New([]property.Value{property.New("a,b")}),
		property.New(map[string]property.Value{"a": property.New("b")}), property.New(map[string]property.Value{"a": property.New("c")}),
	} {
		seen[settingsOf(pschema.TypeSpec{Ref: "pulumi.json#/Any"}, v.WithSecret(true)).Secret["x"]] = true
	}
	assert.Len(t, seen, 6)
}

// TestSettingsAreAsWritten has what objects share be a setting of the component, and no more of
// theirs than they have of their own.
func TestSettingsAreAsWritten(t *testing.T) {
	t.Parallel()
	shared := pschema.TypeSpec{Ref: "#/types/libvirt"}
	member := pschema.ObjectTypeSpec{Properties: map[string]pschema.PropertySpec{"name": {TypeSpec: aText}, "libvirt": {TypeSpec: shared}}, Required: []string{"name", "libvirt"}}
	s := inputSchema{
		object: pschema.ObjectTypeSpec{Properties: map[string]pschema.PropertySpec{
			"libvirt": {TypeSpec: shared}, "members": {TypeSpec: pschema.TypeSpec{Type: "array", Items: &pschema.TypeSpec{Ref: "#/types/member"}}},
		}},
		types: map[string]pschema.ComplexTypeSpec{"member": {ObjectTypeSpec: member}, "libvirt": {ObjectTypeSpec: pschema.ObjectTypeSpec{
			Properties: map[string]pschema.PropertySpec{"memory": {TypeSpec: pschema.TypeSpec{Type: "integer"}}, "uri": {TypeSpec: aText}}, Required: []string{"memory", "uri"},
		}}},
	}
	given := object("libvirt", object("memory", "4096"), "members", list(object("name", "a"), object("name", "b", "libvirt", object("uri", "u")))).AsMap()
	assert.Equal(t, map[string]string{"libvirt.memory": "4096", "members[a]": "{}", "members[b].libvirt.uri": "u"}, s.settingsOf(given, s.typed(given)).Plain)
}
