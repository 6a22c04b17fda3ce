package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// errNotThePassword is what login returns for a wrong password.
var errNotThePassword = errors.New("the user has another password, or none")

// noPassword is in what etcd answers, without a code, to a login of a user who has none.
const noPassword = "no password user"

func (u *UserState) add(ctx context.Context, c *clientv3.Client, password *string) error {
	options := &clientv3.UserAddOptions{NoPassword: password == nil}
	if _, err := c.UserAddWithOptions(ctx, u.Name, ptr.Value(password), options); err != nil {
		return fmt.Errorf("add user %s: %w", u.Name, err)
	}
	u.Password, u.Roles = password, []string{}
	return nil
}

func (u *UserState) grant(ctx context.Context, c *clientv3.Client, roles []string) error {
	for _, role := range roles {
		if slices.Contains(u.Roles, role) {
			continue
		}
		if _, err := c.UserGrantRole(ctx, u.Name, role); err != nil {
			return fmt.Errorf("grant role %s to user %s: %w", role, u.Name, err)
		}
		u.Roles = append(u.Roles, role)
	}
	return nil
}

func (u *UserState) revokeAllBut(ctx context.Context, c *clientv3.Client, roles []string) error {
	for _, role := range slices.Clone(u.Roles) {
		if slices.Contains(roles, role) {
			continue
		}
		_, err := c.UserRevokeRole(ctx, u.Name, role)
		if err = object.Ignore(err, rpctypes.ErrRoleNotGranted); err != nil {
			return fmt.Errorf("revoke role %s from user %s: %w", role, u.Name, err)
		}
		u.Roles = slices.DeleteFunc(u.Roles, func(r string) bool { return r == role })
	}
	return nil
}

func (u *UserState) setPassword(ctx context.Context, c *clientv3.Client, password *string) error {
	switch {
	case ptr.Value(u.Password) == ptr.Value(password):
		return nil
	case password == nil:
		return u.remake(ctx, c, nil)
	case u.Password == nil:
		// Import and refresh do not know it: it may be right already.
		err := login(ctx, c, u.Name, *password)
		if errors.Is(err, errNotThePassword) || errors.Is(err, rpctypes.ErrAuthNotEnabled) {
			return u.remake(ctx, c, password)
		}
		if err == nil {
			u.Password = password
		}
		return err
	}
	if _, err := c.UserChangePassword(ctx, u.Name, *password); err != nil {
		return fmt.Errorf("change the password of user %s: %w", u.Name, err)
	}
	u.Password = password
	return nil
}

// remake deletes the user and adds it again: etcd neither adds a password to a
// user without one, nor removes it.
func (u *UserState) remake(ctx context.Context, c *clientv3.Client, password *string) error {
	_, err := c.UserDelete(ctx, u.Name)
	if err = object.Ignore(err, rpctypes.ErrUserNotFound); err != nil {
		return fmt.Errorf("delete user %s to add it again: %w", u.Name, err)
	}
	roles := u.Roles
	u.Roles = []string{}
	if err := u.add(ctx, c, password); err != nil {
		return err
	}
	return u.grant(ctx, c, roles)
}

// login tries a password.
func login(ctx context.Context, c *clientv3.Client, name, password string) error {
	_, err := c.Authenticate(ctx, name, password)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rpctypes.ErrAuthFailed), strings.Contains(err.Error(), noPassword):
		return errNotThePassword
	}
	return fmt.Errorf("try the password of user %s: %w", name, err)
}
