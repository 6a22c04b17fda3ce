package inputs

import (
	"reflect"
	"strings"
)

// decides is the tag of a field that is not of objects, and on which it depends which
// resources a component has, or how they are named.
const decides = "decides"

// decisiveUnknowns are the paths of unknown inputs on which it depends which resources there
// will be.
func decisiveUnknowns[A any](r reader) []string {
	all := r.decisive
	for _, path := range r.doubtful {
		if tagged(reflect.TypeFor[A](), path) {
			all = append(all, path)
		}
	}
	return all
}

// previewWarnings says which unknown inputs make a preview incomplete.
func (in Inputs[A]) previewWarnings() []string {
	if len(in.decisive) == 0 {
		return nil
	}
	return []string{"not known before the update: " + strings.Join(in.decisive, ", ") +
		". This input decides which resources there are: this preview may lack some, or show some as created or deleted that the update leaves unchanged"}
}
