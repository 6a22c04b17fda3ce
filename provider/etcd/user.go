package etcd

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
)

// User is a user of etcd.
type User struct{}

// UserArgs are the inputs of a User.
type UserArgs struct {
	Etcd     host.EtcdConnection `pulumi:"etcd"`
	Name     *string             `pulumi:"name,optional" provider:"replaceOnChanges"`
	Password *string             `pulumi:"password,optional" provider:"secret"`
	Roles    []string            `pulumi:"roles,optional"`
}

// UserState is what a user is, as far as it could be made so.
type UserState struct {
	Etcd     host.EtcdConnection `pulumi:"etcd"`
	Name     string              `pulumi:"name"`
	Password *string             `pulumi:"password,optional" provider:"secret"`
	Roles    []string            `pulumi:"roles,optional"` // infer drops an empty list
}

func (a UserArgs) state() UserState {
	return UserState{Etcd: a.Etcd, Name: value(a.Name), Password: a.Password, Roles: append([]string{}, a.Roles...)}
}

// Create makes a user that is not there.
func (User) Create(ctx context.Context, req infer.CreateRequest[UserArgs]) (infer.CreateResponse[UserState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.CreateResponse[UserState]{ID: want.Name, Output: want}, nil
	}
	u, made := want, false
	u.Roles = []string{}
	err := With(ctx, u.Etcd, func(ctx context.Context, c *clientv3.Client) error {
		err := u.add(ctx, c, want.Password)
		made = err == nil
		switch {
		case made:
			return u.grant(ctx, c, want.Roles)
		case errors.Is(err, rpctypes.ErrUserAlreadyExist):
			return taken("user", "EtcdUser", u.Name)
		}
		return err
	})
	return infer.CreateResponse[UserState]{ID: want.Name, Output: u}, resumable(made, err)
}

// Read finds what has become of the user. A password that is no longer in
// force is left out.
func (User) Read(ctx context.Context, req infer.ReadRequest[UserArgs, UserState]) (infer.ReadResponse[UserArgs, UserState], error) {
	args, gone := req.Inputs, false
	args.Name = &req.ID
	shown, err := orFromEnvironment(&args.Etcd)
	if err == nil {
		err = With(ctx, args.Etcd, func(ctx context.Context, c *clientv3.Client) error {
			found, err := c.UserGet(ctx, req.ID)
			if gone = errors.Is(err, rpctypes.ErrUserNotFound); gone || err != nil {
				return ignore(err, rpctypes.ErrUserNotFound)
			}
			known := args.Roles
			args.Roles = inOrder(found.Roles, func(role string) int { return slices.Index(known, role) })
			if args.Password == nil {
				return nil
			}
			err = login(ctx, c, req.ID, *args.Password)
			if errors.Is(err, errNotThePassword) {
				args.Password = nil
			}
			return ignore(err, errNotThePassword, rpctypes.ErrAuthNotEnabled) // nobody can tell while it is off
		})
	}
	if gone || err != nil {
		return infer.ReadResponse[UserArgs, UserState]{}, err
	}
	state := args.state()
	args.Etcd = shown
	return infer.ReadResponse[UserArgs, UserState]{ID: req.ID, Inputs: args, State: state}, nil
}

// Update changes just what differs from the last known state, as the preview
// says: other changes of the user are for refresh to find.
func (User) Update(ctx context.Context, req infer.UpdateRequest[UserArgs, UserState]) (infer.UpdateResponse[UserState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.UpdateResponse[UserState]{Output: want}, nil
	}
	u := req.State
	u.Roles = slices.Clone(u.Roles)
	err := With(ctx, want.Etcd, func(ctx context.Context, c *clientv3.Client) error {
		if err := u.setPassword(ctx, c, want.Password); err != nil {
			return err
		}
		if err := u.grant(ctx, c, want.Roles); err != nil {
			return err
		}
		return u.revokeAllBut(ctx, c, want.Roles)
	})
	if err == nil {
		return infer.UpdateResponse[UserState]{Output: want}, nil
	}
	begun := !reflect.DeepEqual(u, req.State)
	u.Etcd = want.Etcd
	return infer.UpdateResponse[UserState]{Output: u}, resumable(begun, err)
}

// Delete deletes the user.
func (User) Delete(ctx context.Context, req infer.DeleteRequest[UserState]) (infer.DeleteResponse, error) {
	err := With(ctx, req.State.Etcd, func(ctx context.Context, c *clientv3.Client) error {
		_, err := c.UserDelete(ctx, req.ID)
		return ignore(err, rpctypes.ErrUserNotFound)
	})
	return infer.DeleteResponse{}, deleted(ctx, "user "+req.ID, err)
}
