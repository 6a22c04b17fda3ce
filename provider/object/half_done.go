package object

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// Taken is the error for a name that is in use: an existing object must be imported
// as a resource of a kind, by its id.
func Taken(what, kind, id string) error {
	return fmt.Errorf("%s %s already exists: import it with `pulumi import quorum:index:%s NAME %[2]s`, or delete it", what, id, kind)
}

// Resumable has the engine save the state of a resource although a change of it
// failed half-way: the next update continues from there.
func Resumable(begun bool, err error) error {
	if err == nil || !begun {
		return err
	}
	return infer.ResourceInitFailedError{Reasons: []string{err.Error()}}
}

// Updated is the response of an update from before to want, which reached now.
func Updated[S any](before, now, want S, err error) (infer.UpdateResponse[S], error) {
	if err == nil {
		return infer.UpdateResponse[S]{Output: want}, nil
	}
	return infer.UpdateResponse[S]{Output: now}, Resumable(!reflect.DeepEqual(before, now), err)
}

// Ignore is err, or nil if it is one of those.
func Ignore(err error, those ...error) error {
	if slices.ContainsFunc(those, func(one error) bool { return errors.Is(err, one) }) {
		return nil
	}
	return err
}

// InOrder sorts by place, and puts those without one (-1) last.
func InOrder[T any](found []T, place func(T) int) []T {
	last := func(i int) int {
		if i < 0 {
			return math.MaxInt
		}
		return i
	}
	slices.SortStableFunc(found, func(a, b T) int { return cmp.Compare(last(place(a)), last(place(b))) })
	return found
}

// Alike reports whether two lists have the same in any order.
func Alike[T any](a, b []T) bool {
	has := func(all []T, one T) bool {
		return slices.ContainsFunc(all, func(other T) bool { return reflect.DeepEqual(one, other) })
	}
	missing := func(from, in []T) bool {
		return slices.ContainsFunc(from, func(one T) bool { return !has(in, one) })
	}
	return !missing(a, b) && !missing(b, a)
}
