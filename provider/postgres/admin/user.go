package admin

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// User is a user of PostgreSQL, or a role that users are members of.
type User struct{}

// UserArgs are the inputs of a User.
type UserArgs struct {
	Connection      Connection        `pulumi:"connection"`
	Name            *string           `pulumi:"name,optional" provider:"replaceOnChanges"`
	Password        *string           `pulumi:"password,optional" provider:"secret"`
	Login           *bool             `pulumi:"login,optional"`
	MemberOf        []string          `pulumi:"memberOf,optional"`
	ConnectionLimit *int              `pulumi:"connectionLimit,optional"`
	CreateDatabase  *bool             `pulumi:"createDatabase,optional"`
	CreateRole      *bool             `pulumi:"createRole,optional"`
	Replication     *bool             `pulumi:"replication,optional"`
	Settings        map[string]string `pulumi:"settings,optional"`
}

// UserState is a user as it is.
type UserState struct {
	Connection      Connection        `pulumi:"connection"`
	Name            string            `pulumi:"name"`
	Password        *string           `pulumi:"password,optional" provider:"secret"`
	Login           bool              `pulumi:"login"`
	MemberOf        []string          `pulumi:"memberOf,optional"` // infer drops an empty list
	ConnectionLimit int               `pulumi:"connectionLimit"`
	CreateDatabase  bool              `pulumi:"createDatabase"`
	CreateRole      bool              `pulumi:"createRole"`
	Replication     bool              `pulumi:"replication"`
	Settings        map[string]string `pulumi:"settings,optional"` // as memberOf
}

const unlimited = -1

func (a UserArgs) state() UserState {
	u := UserState{
		Connection: a.Connection, Name: ptr.Value(a.Name), Password: a.Password, Login: a.Password != nil, MemberOf: append([]string{}, a.MemberOf...),
		ConnectionLimit: unlimited, CreateDatabase: ptr.Value(a.CreateDatabase), CreateRole: ptr.Value(a.CreateRole), Replication: ptr.Value(a.Replication),
		Settings: maps.Clone(a.Settings),
	}
	if a.Login != nil {
		u.Login = *a.Login
	}
	if a.ConnectionLimit != nil {
		u.ConnectionLimit = *a.ConnectionLimit
	}
	return u
}

func (u UserState) object() Object { return Object{Kind: "user", Name: u.Name, By: u.Connection} }

// InProgram notes which user the program has. UserArgs implements inputs.Noted.
func (a UserArgs) InProgram(ctx context.Context, before property.Map) {
	a.state().object().InProgram(ctx, guard.Text(before.Get("name")))
}

// Create creates a user that does not exist, or takes the one of an update that was killed.
func (User) Create(ctx context.Context, req infer.CreateRequest[UserArgs]) (infer.CreateResponse[UserState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.CreateResponse[UserState]{ID: want.Name, Output: want}, nil
	}
	err := with(ctx, want.Connection, maintenance, func(ctx context.Context, conn *pgx.Conn) error {
		err := want.create(ctx, conn)
		if !isCode(err, duplicateObject) {
			return err
		}
		same, err := want.isThere(ctx, conn)
		return adopted(ctx, want.object(), "PostgresUser", same, err)
	})
	if err == nil {
		want.object().Made(ctx)
	}
	return infer.CreateResponse[UserState]{ID: want.Name, Output: want}, err
}

// Read finds what has become of the user. A password that is no longer in force is left out.
func (User) Read(ctx context.Context, req infer.ReadRequest[UserArgs, UserState]) (infer.ReadResponse[UserArgs, UserState], error) {
	args := req.Inputs
	args.Name = &req.ID
	want := args.state()
	kept := infer.ReadResponse[UserArgs, UserState](req)
	return refresh(ctx, want.object(), &args.Connection, maintenance, kept, func(ctx context.Context, conn *pgx.Conn) (gone bool, err error) {
		now := want
		if gone, err = now.look(ctx, conn); gone || err != nil {
			return gone, err
		}
		imported := len(req.Inputs.Connection.Endpoints) == 0
		args.Password = now.Password
		args.MemberOf = object.InOrder(now.MemberOf, placeIn(args.MemberOf))
		args.Settings = now.Settings
		shown(&args.Login, want.Login, now.Login, imported)
		shown(&args.ConnectionLimit, want.ConnectionLimit, now.ConnectionLimit, imported && now.ConnectionLimit != unlimited)
		shown(&args.CreateDatabase, want.CreateDatabase, now.CreateDatabase, imported && now.CreateDatabase)
		shown(&args.CreateRole, want.CreateRole, now.CreateRole, imported && now.CreateRole)
		shown(&args.Replication, want.Replication, now.Replication, imported && now.Replication)
		return false, nil
	}, func(shown Connection) infer.ReadResponse[UserArgs, UserState] {
		state := args.state()
		if args.Login == nil {
			state.Login = want.Login // by the password that is wanted
		}
		args.Connection = shown
		return infer.ReadResponse[UserArgs, UserState]{ID: req.ID, Inputs: args, State: state}
	})
}

// Update changes only what differs from the last known state, as the preview says: refresh
// finds other changes of the user. It is done as a whole, or not at all.
func (User) Update(ctx context.Context, req infer.UpdateRequest[UserArgs, UserState]) (infer.UpdateResponse[UserState], error) {
	want := req.Inputs.state()
	if req.DryRun || req.State.sameBut(want) {
		return infer.UpdateResponse[UserState]{Output: want}, nil
	}
	err := with(ctx, want.Connection, maintenance, func(ctx context.Context, conn *pgx.Conn) error {
		return want.change(ctx, conn, req.State)
	})
	return infer.UpdateResponse[UserState]{Output: want}, err
}

// Delete deletes the user.
func (User) Delete(ctx context.Context, req infer.DeleteRequest[UserState]) (infer.DeleteResponse, error) {
	u := req.State
	return infer.DeleteResponse{}, u.object().Delete(ctx, noAccess, away, func(ctx context.Context, c Connection) error {
		return with(ctx, c, maintenance, func(ctx context.Context, conn *pgx.Conn) error { return u.drop(ctx, conn) })
	})
}
