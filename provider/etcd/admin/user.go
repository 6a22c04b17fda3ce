package admin

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
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

// UserState is a user as it is, also if a change of it stopped half-way.
type UserState struct {
	Etcd     host.EtcdConnection `pulumi:"etcd"`
	Name     string              `pulumi:"name"`
	Password *string             `pulumi:"password,optional" provider:"secret"`
	Roles    []string            `pulumi:"roles,optional"` // infer drops an empty list
}

func (a UserArgs) state() UserState {
	return UserState{Etcd: a.Etcd, Name: ptr.Value(a.Name), Password: a.Password, Roles: append([]string{}, a.Roles...)}
}

func (u UserState) object() Object { return Object{Kind: "user", Name: u.Name, By: u.Etcd} }

// InProgram notes which user the program has. UserArgs implements inputs.Noted.
func (a UserArgs) InProgram(ctx context.Context, before property.Map) {
	a.state().object().InProgram(ctx, guard.Text(before.Get("name")))
}

// Create creates a user that does not exist, or completes one of an update that
// was killed.
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
			if made, err = u.adopt(ctx, c, want); err != nil || !made {
				return cmp.Or(err, object.Taken("user", "EtcdUser", u.Name))
			}
			return u.grant(ctx, c, want.Roles)
		}
		return err
	})
	if made {
		u.object().Made(ctx)
	}
	return infer.CreateResponse[UserState]{ID: want.Name, Output: u}, object.Resumable(made, err)
}

// Read finds what has become of the user. A password that is no longer in
// force is left out.
func (User) Read(ctx context.Context, req infer.ReadRequest[UserArgs, UserState]) (infer.ReadResponse[UserArgs, UserState], error) {
	args := req.Inputs
	args.Name = &req.ID
	kept := infer.ReadResponse[UserArgs, UserState]{ID: req.ID, Inputs: req.State.inputs(req.Inputs), State: req.State}
	return refresh(ctx, req.State.object(), &args.Etcd, kept, func(ctx context.Context, c *clientv3.Client) (gone bool, err error) {
		found, err := c.UserGet(ctx, req.ID)
		if err != nil {
			return errors.Is(err, rpctypes.ErrUserNotFound), object.Ignore(err, rpctypes.ErrUserNotFound)
		}
		known := args.Roles
		args.Roles = object.InOrder(found.Roles, func(role string) int { return slices.Index(known, role) })
		if args.Password == nil {
			return false, nil
		}
		err = login(ctx, c, req.ID, *args.Password)
		if errors.Is(err, errNotThePassword) {
			args.Password = nil
		}
		return false, object.Ignore(err, errNotThePassword, rpctypes.ErrAuthNotEnabled) // nobody can tell while it is off
	}, func(shown host.EtcdConnection) infer.ReadResponse[UserArgs, UserState] {
		state := args.state()
		args.Etcd = shown
		return infer.ReadResponse[UserArgs, UserState]{ID: req.ID, Inputs: args, State: state}
	})
}

// Update changes only what differs from the last known state, as the preview
// says: refresh finds other changes of the user.
func (User) Update(ctx context.Context, req infer.UpdateRequest[UserArgs, UserState]) (infer.UpdateResponse[UserState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.UpdateResponse[UserState]{Output: want}, nil
	}
	before := req.State
	before.Etcd = want.Etcd
	u := before
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
	return object.Updated(before, u, want, err)
}

// Delete deletes the user.
func (User) Delete(ctx context.Context, req infer.DeleteRequest[UserState]) (infer.DeleteResponse, error) {
	err := Delete(ctx, req.State.object(), func(ctx context.Context, c *clientv3.Client) error {
		_, err := c.UserDelete(ctx, req.ID)
		return object.Ignore(err, rpctypes.ErrUserNotFound)
	})
	return infer.DeleteResponse{}, err
}
