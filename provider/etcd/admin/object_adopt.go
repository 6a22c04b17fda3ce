package admin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// An update that is killed after etcd has created an object, and before the state is
// saved, leaves an object that is in no state. The next update adopts it if it is as
// the resource would create it, and no other resource of the program manages it. An
// object that differs is never adopted.

// adopt takes an existing user for the one that this resource created, if it has
// the same password and no roles beside those wanted.
func (u *UserState) adopt(ctx context.Context, c *clientv3.Client, want UserState) (bool, error) {
	if !u.object().MayAdopt(ctx) {
		return false, nil
	}
	found, err := c.UserGet(ctx, u.Name)
	if err != nil {
		return false, fmt.Errorf("read user %s: %w", u.Name, err)
	}
	if slices.ContainsFunc(found.Roles, func(role string) bool { return !slices.Contains(want.Roles, role) }) {
		return false, nil
	}
	if same, err := hasPassword(ctx, c, u.Name, want.Password); err != nil || !same {
		return false, err
	}
	u.Password, u.Roles = want.Password, append([]string{}, found.Roles...)
	u.object().Adopted(ctx)
	return true, nil
}

// hasPassword reports whether a user has that password, or none if that is nil.
// While authentication is off etcd does not tell.
func hasPassword(ctx context.Context, c *clientv3.Client, name string, password *string) (bool, error) {
	_, err := c.Authenticate(ctx, name, ptr.Value(password))
	switch {
	case err == nil:
		return password != nil, nil
	case errors.Is(err, rpctypes.ErrAuthFailed), errors.Is(err, rpctypes.ErrAuthNotEnabled):
		return false, nil
	case strings.Contains(err.Error(), noPassword):
		return password == nil, nil
	}
	return false, fmt.Errorf("try the password of user %s: %w", name, err)
}

// adopt takes an existing role for the one that this resource created, if it
// has exactly these permissions. One with fewer may belong to someone else, and
// have users.
func (r *RoleState) adopt(ctx context.Context, c *clientv3.Client, want RoleState) (bool, error) {
	if !r.object().MayAdopt(ctx) {
		return false, nil
	}
	found, err := c.RoleGet(ctx, r.Name)
	if err != nil {
		return false, fmt.Errorf("read role %s: %w", r.Name, err)
	}
	if len(found.Perm) != len(want.Permissions) {
		return false, nil
	}
	for _, p := range found.Perm {
		if !slices.ContainsFunc(want.Permissions, func(w Permission) bool { return reflect.DeepEqual(described(p, []Permission{w}), w) }) {
			return false, nil
		}
	}
	r.Permissions = want.Permissions
	r.object().Adopted(ctx)
	return true, nil
}

// inputs are the inputs that match the state: if a change stopped half-way, the
// next update sees what is missing.
func (u UserState) inputs(given UserArgs) UserArgs {
	if !object.Alike(u.Roles, given.Roles) {
		given.Roles = u.Roles
	}
	given.Password = u.Password
	return given
}

// inputs are those that match the state, as a user's are.
func (r RoleState) inputs(given RoleArgs) RoleArgs {
	if !object.Alike(r.Permissions, given.Permissions) {
		given.Permissions = r.Permissions
	}
	return given
}
