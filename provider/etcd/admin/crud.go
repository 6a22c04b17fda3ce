package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// taken is the error for a name that is in use: an existing object must be imported.
func taken(what, kind, name string) error {
	return fmt.Errorf("%s %s already exists: import it with `pulumi import quorum:index:%s NAME %[2]s`, or delete it", what, name, kind)
}

// Adopted warns that the object existed, and that the resource manages it now.
func (o Object) Adopted(ctx context.Context) {
	p.GetLogger(ctx).Warning(fmt.Sprintf("%s already existed in etcd with these values, as after an interrupted update: this resource manages it now", o))
}

// resumable has the engine save the state of a resource although a change of it
// failed half-way: the next update continues from there.
func resumable(begun bool, err error) error {
	if err == nil || !begun {
		return err
	}
	return infer.ResourceInitFailedError{Reasons: []string{err.Error()}}
}

// updated is the response of an update from before to want, which reached now.
func updated[S any](before, now, want S, err error) (infer.UpdateResponse[S], error) {
	if err == nil {
		return infer.UpdateResponse[S]{Output: want}, nil
	}
	return infer.UpdateResponse[S]{Output: now}, resumable(!reflect.DeepEqual(before, now), err)
}

// ignore is err, or nil if it is one of those.
func ignore(err error, those ...error) error {
	if slices.ContainsFunc(those, func(one error) bool { return errors.Is(err, one) }) {
		return nil
	}
	return err
}

// orFromEnvironment fills in the connection of a resource that is being imported.
// shown is the connection without secrets, since the inputs of an import become a
// program, in clear.
func orFromEnvironment(c *host.EtcdConnection) (shown host.EtcdConnection, err error) {
	if len(c.Endpoints) > 0 {
		return *c, nil
	}
	*c, err = FromEnvironment()
	return Shown(*c), err
}

// Shown is a connection without what is secret.
func Shown(c host.EtcdConnection) host.EtcdConnection {
	c.ClientKey, c.Password = nil, nil
	return c
}

// inOrder sorts by place, and puts those without one (-1) last.
func inOrder[T any](found []T, place func(T) int) []T {
	last := func(i int) int {
		if i < 0 {
			return math.MaxInt
		}
		return i
	}
	slices.SortStableFunc(found, func(a, b T) int { return cmp.Compare(last(place(a)), last(place(b))) })
	return found
}
