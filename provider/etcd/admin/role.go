package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Role is a role of etcd.
type Role struct{}

// RoleArgs are the inputs of a Role.
type RoleArgs struct {
	Etcd        host.EtcdConnection `pulumi:"etcd"`
	Name        *string             `pulumi:"name,optional" provider:"replaceOnChanges"`
	Permissions []Permission        `pulumi:"permissions,optional"`
}

// RoleState is a role as it is, also if a change of it stopped half-way.
type RoleState struct {
	Etcd        host.EtcdConnection `pulumi:"etcd"`
	Name        string              `pulumi:"name"`
	Permissions []Permission        `pulumi:"permissions,optional"` // infer drops an empty list
}

func (a RoleArgs) state() RoleState {
	return RoleState{a.Etcd, ptr.Value(a.Name), append([]Permission{}, a.Permissions...)}
}

func (r RoleState) object() Object { return Object{Kind: "role", Name: r.Name, By: r.Etcd} }

// InProgram notes which role the program has. RoleArgs implements inputs.Noted.
func (a RoleArgs) InProgram(ctx context.Context, before property.Map) {
	a.state().object().InProgram(ctx, guard.Text(before.Get("name")))
}

// Create creates a role that does not exist. One with exactly these permissions
// is taken for one of an update that was killed.
func (Role) Create(ctx context.Context, req infer.CreateRequest[RoleArgs]) (infer.CreateResponse[RoleState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.CreateResponse[RoleState]{ID: want.Name, Output: want}, nil
	}
	r, made := want, false
	r.Permissions = []Permission{}
	err := With(ctx, r.Etcd, func(ctx context.Context, c *clientv3.Client) error {
		_, err := c.RoleAdd(ctx, r.Name)
		made = err == nil
		switch {
		case made:
			return r.grant(ctx, c, want.Permissions)
		case errors.Is(err, rpctypes.ErrRoleAlreadyExist):
			if made, err = r.adopt(ctx, c, want); err != nil || !made {
				return cmp.Or(err, object.Taken("role", "EtcdRole", r.Name))
			}
			return nil
		}
		return fmt.Errorf("add role %s: %w", r.Name, err)
	})
	if made {
		r.object().Made(ctx)
	}
	return infer.CreateResponse[RoleState]{ID: want.Name, Output: r}, object.Resumable(made, err)
}

// Read finds what has become of the role.
func (Role) Read(ctx context.Context, req infer.ReadRequest[RoleArgs, RoleState]) (infer.ReadResponse[RoleArgs, RoleState], error) {
	args := req.Inputs
	args.Name = &req.ID
	kept := infer.ReadResponse[RoleArgs, RoleState]{ID: req.ID, Inputs: req.State.inputs(req.Inputs), State: req.State}
	return refresh(ctx, req.State.object(), &args.Etcd, kept, func(ctx context.Context, c *clientv3.Client) (gone bool, err error) {
		found, err := c.RoleGet(ctx, req.ID)
		if err != nil {
			return errors.Is(err, rpctypes.ErrRoleNotFound), object.Ignore(err, rpctypes.ErrRoleNotFound)
		}
		known, permissions := args.state(), []Permission{}
		for _, p := range found.Perm {
			permissions = append(permissions, described(p, known.Permissions))
		}
		args.Permissions = object.InOrder(permissions, func(p Permission) int { return known.at(p.span()) })
		return false, nil
	}, func(shown host.EtcdConnection) infer.ReadResponse[RoleArgs, RoleState] {
		state := args.state()
		args.Etcd = shown
		return infer.ReadResponse[RoleArgs, RoleState]{ID: req.ID, Inputs: args, State: state}
	})
}

// Update changes only what differs from the last known state, as the preview
// says: refresh finds other changes of the role.
func (Role) Update(ctx context.Context, req infer.UpdateRequest[RoleArgs, RoleState]) (infer.UpdateResponse[RoleState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.UpdateResponse[RoleState]{Output: want}, nil
	}
	before := req.State
	before.Etcd = want.Etcd
	r := before
	r.Permissions = slices.Clone(r.Permissions)
	err := With(ctx, want.Etcd, func(ctx context.Context, c *clientv3.Client) error {
		if err := r.grant(ctx, c, want.Permissions); err != nil {
			return err
		}
		return r.revokeAllBut(ctx, c, want.Permissions)
	})
	return object.Updated(before, r, want, err)
}

// Delete deletes the role. Its users lose it.
func (Role) Delete(ctx context.Context, req infer.DeleteRequest[RoleState]) (infer.DeleteResponse, error) {
	err := Delete(ctx, req.State.object(), func(ctx context.Context, c *clientv3.Client) error {
		_, err := c.RoleDelete(ctx, req.ID)
		return object.Ignore(err, rpctypes.ErrRoleNotFound)
	})
	return infer.DeleteResponse{}, err
}

// at is the place of the permission for the same keys, or -1.
func (r *RoleState) at(keys span) int {
	return slices.IndexFunc(r.Permissions, func(p Permission) bool { return p.span() == keys })
}

// grant gives what is missing. For the same keys etcd keeps one permission,
// the last.
func (r *RoleState) grant(ctx context.Context, c *clientv3.Client, permissions []Permission) error {
	for _, p := range permissions {
		keys := p.span()
		i := r.at(keys)
		if i >= 0 && r.Permissions[i].Permission == p.Permission {
			continue
		}
		if _, err := c.RoleGrantPermission(ctx, r.Name, keys.begin, keys.end, p.Permission.etcd()); err != nil {
			return fmt.Errorf("grant %s on %s to role %s: %w", p.Permission, p, r.Name, err)
		}
		if i >= 0 {
			r.Permissions[i] = p
		} else {
			r.Permissions = append(r.Permissions, p)
		}
	}
	return nil
}

func (r *RoleState) revokeAllBut(ctx context.Context, c *clientv3.Client, permissions []Permission) error {
	wanted := RoleState{Permissions: permissions}
	for _, p := range slices.Clone(r.Permissions) {
		keys := p.span()
		if wanted.at(keys) >= 0 {
			continue
		}
		_, err := c.RoleRevokePermission(ctx, r.Name, keys.begin, keys.end)
		if err = object.Ignore(err, rpctypes.ErrPermissionNotGranted); err != nil {
			return fmt.Errorf("revoke %s on %s from role %s: %w", p.Permission, p, r.Name, err)
		}
		r.Permissions = slices.Delete(r.Permissions, r.at(keys), r.at(keys)+1)
	}
	return nil
}
