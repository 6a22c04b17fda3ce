package inputs

import (
	"reflect"
	"strings"
)

// decides is the tag of a field that has no objects and yet decides which
// resources a component is made of, and how they are named.
const decides = "decides"

// vague are the unknown inputs without which a preview cannot tell which
// resources there will be.
func vague[A any](r reader) []string {
	all := r.vague
	for _, path := range r.doubtful {
		if tagged(reflect.TypeFor[A](), path) {
			all = append(all, path)
		}
	}
	return all
}

// guessed is what to say of a preview that had to guess.
func (in Inputs[A]) guessed() []string {
	if len(in.vague) == 0 {
		return nil
	}
	return []string{"not known before the update: " + strings.Join(in.vague, ", ") +
		". This input decides which resources there are: this preview may lack some, or show some as created or deleted that the update leaves unchanged"}
}
