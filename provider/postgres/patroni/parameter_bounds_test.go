package patroni

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestParametersOfEachVersion judges values at and beyond the edges of all parameters of all versions.
func TestParametersOfEachVersion(t *testing.T) {
	t.Parallel()
	for version := oldest; version <= newest; version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			which, judged := fmt.Sprint(version), map[string]int{}
			for name, all := range parameterList() {
				i := slices.IndexFunc(all, func(k known) bool { return k.from <= version && version <= k.to })
				if i < 0 {
					assert.Contains(t, refused(name, "1", &which), "is no parameter of PostgreSQL "+which+": ", name)
					continue
				}
				judged[all[i].kind]++
				taken, not := all[i].edges()
				for _, value := range taken {
					assert.Empty(t, refused(name, value, &which), "%s = %s", name, value)
				}
				for _, value := range not {
					reason := refused(name, value, &which)
					for _, says := range append(all[i].allowed(), shown(value)) {
						assert.Contains(t, reason, says, "%s = %s", name, value)
					}
				}
			}
			for kind, least := range map[string]int{"bool": 80, "enum": 30, "integer": 110, "real": 20, "string": 50} {
				assert.Greater(t, judged[kind], least, kind)
			}
		})
	}
}

// shown is how a refusal shows a value: those of parameters that nobody may give are not.
func shown(value string) string {
	if value == "" {
		return "must not be given"
	}
	return "not " + strconv.Quote(value)
}

// edges are values that are just taken, and just not.
func (k known) edges() (taken, not []string) {
	if k.cannotBeGiven {
		return nil, []string{""}
	}
	switch k.kind {
	case "bool":
		return []string{"on", "off", "true", "no", "1"}, []string{"perhaps", "o", "2"}
	case "enum":
		for _, word := range k.words {
			taken, not = append(taken, word, strings.ToUpper(word)), append(not, word+"x")
		}
		return taken, not
	case "string":
		return []string{"", "anything at all"}, nil
	}
	least, _ := strconv.ParseFloat(k.least, 64)
	most, _ := strconv.ParseFloat(k.most, 64)
	taken, not = []string{k.least, k.most}, []string{"few", "10parsecs", k.least + "KB"}
	if below := least - 1; below < least { // not of -1.8e308
		not = append(not, strconv.FormatFloat(below, 'f', -1, 64))
	}
	if above := most + 1; above > most {
		not = append(not, strconv.FormatFloat(above, 'f', -1, 64))
	} else {
		not = append(not, "1e999")
	}
	for unit := range k.units() {
		scale, _ := k.scale(unit)
		if n := math.Ceil(max(least, 0) / scale); n*scale <= most {
			taken = append(taken, fmt.Sprintf("%.0f%s", n, unit), fmt.Sprintf(" %.0f %s ", n, unit))
		}
		if above := (most + 1) / scale; above < 1e15 {
			not = append(not, fmt.Sprintf("%.0f%s", math.Ceil(above)+1, unit))
		}
	}
	if k.unit == "" {
		not = append(not, k.least+"kB", k.least+"ms")
	}
	return taken, not
}

// allowed is what a refusal says of what is taken.
func (k known) allowed() []string {
	switch {
	case k.cannotBeGiven:
		return nil
	case k.kind == "enum":
		return k.words
	case k.kind == "bool":
		return []string{"on or off"}
	case k.unit == "":
		return []string{k.least, k.most}
	}
	return append(slices.Collect(maps.Keys(k.units())), k.least, k.most)
}
