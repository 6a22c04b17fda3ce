package provider

import (
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kept is a secret that no message may show.
const kept = "hunter2-hunter2"

// strange are values that a program may give anywhere, by its mistake.
func strange(t testing.TB) map[string]property.Value {
	t.Helper()
	file, err := asset.FromText("text")
	require.NoError(t, err)
	files, err := archive.FromAssets(map[string]any{"a": file})
	require.NoError(t, err)
	list := func(v ...property.Value) property.Value { return property.New(append([]property.Value{}, v...)) }
	deep := property.New("bottom")
	for range 500 {
		deep = property.New(map[string]property.Value{"deeper": list(deep)})
	}
	return map[string]property.Value{
		"null": {}, "true": property.New(true), "empty list": list(), "list of null": list(property.Value{}),
		"list of a number": list(property.New(7.0)), "list of lists": list(list(property.New("x"))), "list of objects": list(property.New(property.Map{})),
		"empty text": property.New(""), "text": property.New("x"), "lines": property.New("a\nb\r\n\x00\t"), "no UTF-8": property.New("a\xff\xfe"),
		"long text": property.New(strings.Repeat("lång ", 4000)), "format": property.New("%s%d%!{{ $X ${Y}"),
		"zero": property.New(0.0), "negative": property.New(-1.0), "fraction": property.New(0.5), "huge": property.New(1e300), "exact": property.New(float64(1 << 53)),
		"no number": property.New(math.NaN()), "infinite": property.New(math.Inf(-1)), "empty object": property.New(property.Map{}),
		"object": property.New(map[string]property.Value{"": property.New("x"), "a.b[0]": property.New(1.0), "__x": property.New(true), "n": {}}),
		"deep":   deep, "file": property.New(file), "files": property.New(files),
		"resource": property.New(property.ResourceReference{URN: "urn:pulumi:stack::project::a:b:C::d", ID: property.New("d")}),
		"secret":   property.New(kept).WithSecret(true), "secret list": list(property.New(kept)).WithSecret(true),
		"secret object": property.New(map[string]property.Value{"name": property.New(kept), "ip": property.New(kept)}).WithSecret(true),
	}
}

// everyValue has TestStrangeAnywhere try all values everywhere: minutes. Without
// it each place gets fewValues, which the seed chooses.
var (
	everyValue = flag.Bool("every-value", false, "try every strange value at every input")
	seed       = flag.Uint64("seed", 15, "chooses strange values")
)

const fewValues = 1

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(*seed, 0)) }

// TestStrangeAnywhere gives every case a strange value wherever there can be
// one, in previews and in updates. It is taken, or refused by a text that names
// a path, and shows no secret.
func TestStrangeAnywhere(t *testing.T) {
	t.Parallel()
	values := strange(t)
	for _, c := range everything {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			w, spec := newWire(t), c.schema(t)
			seen, random := map[string]bool{}, newRandom()
			for _, name := range c.cases(t) {
				in := c.quick(t, name)
				for _, p := range placesOf(spec, c, in) {
					if seen[p.kind()] {
						continue // it was tried in another case, or element
					}
					seen[p.kind()] = true
					for _, what := range chosen(random, values, p) {
						v := values[what]
						preview := w.judges(t, spec, c, p, name+", "+what, p.with(in, v), v, true)
						if preview == "" && c.kind == "EtcdCluster" {
							continue // an update asks the machines: seconds
						}
						update := w.judges(t, spec, c, p, name+", "+what, p.with(in, v), v, false)
						assert.Equalf(t, preview, update, "%s: %s: preview and update differ", name, what)
					}
				}
			}
		})
	}
}

// chosen are the names of the values that a place is given.
func chosen(random *rand.Rand, values map[string]property.Value, p place) []string {
	names := slices.Sorted(maps.Keys(values))
	if p.text == "adminUserPassword" { // its hash takes a second for so much
		names = slices.DeleteFunc(names, func(name string) bool { return name == "long text" })
	}
	if *everyValue {
		return names
	}
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:fewValues]
}

// judges gives a resource such inputs, and returns why they are refused.
func (w *wire) judges(t *testing.T, spec schema.PackageSpec, c component, p place, what string, in property.Map, v property.Value, preview bool) string {
	t.Helper()
	made := w.plan(t, c, in, preview)
	if made.err == nil {
		assert.Falsef(t, never(p.schema.TypeSpec, v), "%s: %s is taken", what, p.text)
	}
	w.judged(t, spec, c, what+": "+p.text, made)
	if made.err == nil {
		return ""
	}
	return made.err.Error()
}

// judged requires an outcome that is good, or refused by texts which name inputs.
// None may show a secret.
func (w *wire) judged(t *testing.T, spec schema.PackageSpec, c component, what string, made outcome) {
	t.Helper()
	assert.NotContains(t, strings.Join(made.messages, "\n"), kept, what)
	if made.err == nil {
		assert.Empty(t, w.checkChildren(t, made), what)
		return
	}
	assert.NotContains(t, made.err.Error(), kept, what)
	lines := strings.Split(made.err.Error(), "\n")
	if !c.isCustom() {
		assert.Equal(t, "its inputs are refused:", lines[0], what)
		assert.Empty(t, made.children, what)
		lines = lines[1:]
	}
	assert.NotEmpty(t, lines, "%s: %s", what, made.err)
	for _, line := range lines {
		path, _, _ := strings.Cut(strings.TrimSpace(line), ": ")
		assert.Truef(t, isInput(spec, path), "%s: there is no input %s: %s", what, path, made.err)
	}
}

// never reports whether a value can be nothing of a type.
func never(t schema.TypeSpec, v property.Value) bool {
	switch {
	case v.IsNull():
		return false
	case v.IsAsset() || v.IsArchive() || v.IsResourceReference():
		return true
	case t.Items != nil:
		return !v.IsArray()
	case t.AdditionalProperties != nil:
		return !v.IsMap()
	case slices.Contains([]string{"string", "integer", "number", "boolean"}, t.Type):
		return v.IsArray() || v.IsMap()
	}
	return false
}
