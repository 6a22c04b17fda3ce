package inputs

import (
	"reflect"
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
