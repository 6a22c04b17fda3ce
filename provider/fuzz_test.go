package provider

import (
	"maps"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzInputs gives a resource strange and unknown values at several inputs at
// once. The bytes choose: the resource, its case, and then place and value in turn.
func FuzzInputs(f *testing.F) {
	f.Add([]byte{0})
	for i := range everything {
		f.Add([]byte{byte(i), 0, 7, 0, 80, 0})
		f.Add([]byte{byte(i), 1, 30, 4, 60, 9, 90, 0, 120, 0})
	}
	w, values := newWire(f), strange(f)
	names := slices.Sorted(maps.Keys(values))
	var specs []schema.PackageSpec
	for _, c := range everything {
		specs = append(specs, c.schema(f))
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		if len(choice) < 2 || len(choice) > 20 {
			t.Skip()
		}
		which := int(choice[0]) % len(everything)
		c, spec := everything[which], specs[which]
		cases := c.cases(t)
		in := c.quick(t, cases[int(choice[1])%len(cases)])
		strangers := 0
		for rest := choice[2:]; len(rest) > 1; rest = rest[2:] {
			places := placesOf(spec, c, in)
			p, v := places[int(rest[0])*len(places)/256], unknown
			if which := int(rest[1]) % (2 * len(names)); which < len(names) && p.text != "adminUserPassword" {
				v, strangers = values[names[which]], strangers+1
			}
			in = p.with(in, v)
		}
		made := w.plan(t, c, in, true)
		if strangers == 0 {
			require.NoError(t, made.err)
		}
		w.judged(t, spec, c, "several", made)
	})
}

// TestUnknownTogether gives every case several unknown values at once, which a
// seed chooses.
func TestUnknownTogether(t *testing.T) {
	t.Parallel()
	for _, c := range everything {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			w, spec, random := newWire(t), c.schema(t), newRandom()
			for range 10 {
				cases := c.cases(t)
				name := cases[random.IntN(len(cases))]
				in, texts := c.quick(t, name), []string{}
				for range 2 + random.IntN(3) {
					places := placesOf(spec, c, in)
					p := places[random.IntN(len(places))]
					in, texts = p.with(in, unknown), append(texts, p.text)
				}
				made := w.plan(t, c, in, true)
				assert.NoErrorf(t, made.err, "%s: %v are unknown", name, texts)
				assert.Emptyf(t, w.checkChildren(t, made), "%s: %v are unknown", name, texts)
			}
		})
	}
}
