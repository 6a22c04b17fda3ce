package admin

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Grant is what a user may do with a schema of a database, and with what is in it now and
// later.
type Grant struct{}

// GrantArgs are the inputs of a Grant.
type GrantArgs struct {
	Connection         Connection   `pulumi:"connection"`
	Database           string       `pulumi:"database" provider:"replaceOnChanges"`
	Schema             *string      `pulumi:"schema,optional" provider:"replaceOnChanges"`
	Role               string       `pulumi:"role" provider:"replaceOnChanges"`
	Access             *GrantAccess `pulumi:"access,optional"`
	DatabasePrivileges []string     `pulumi:"databasePrivileges,optional"`
	SchemaPrivileges   []string     `pulumi:"schemaPrivileges,optional"`
	TablePrivileges    []string     `pulumi:"tablePrivileges,optional"`
	SequencePrivileges []string     `pulumi:"sequencePrivileges,optional"`
	ObjectOwners       []string     `pulumi:"objectOwners,optional"`
}

// GrantState are the privileges that the user has.
type GrantState struct {
	Connection         Connection   `pulumi:"connection"`
	Database           string       `pulumi:"database"`
	Schema             string       `pulumi:"schema"`
	Role               string       `pulumi:"role"`
	Access             *GrantAccess `pulumi:"access,optional"`
	DatabasePrivileges []string     `pulumi:"databasePrivileges,optional"`
	SchemaPrivileges   []string     `pulumi:"schemaPrivileges,optional"`
	TablePrivileges    []string     `pulumi:"tablePrivileges,optional"`
	SequencePrivileges []string     `pulumi:"sequencePrivileges,optional"`
	ObjectOwners       []string     `pulumi:"objectOwners,optional"`
}

// GrantAccess is a name for privileges that go together.
type GrantAccess string

// The usual ones.
const (
	ReadOnly  GrantAccess = "read-only"
	ReadWrite GrantAccess = "read-write"
)

const defaultSchema = "public"

func (a GrantArgs) state() GrantState {
	of := a
	if a.Access != nil {
		of = privileges[*a.Access]
	}
	return GrantState{
		a.Connection, a.Database, cmp.Or(ptr.Value(a.Schema), defaultSchema), a.Role, a.Access,
		of.DatabasePrivileges, of.SchemaPrivileges, of.TablePrivileges, of.SequencePrivileges, a.ObjectOwners,
	}
}

func (g GrantState) object() Object { return Object{Kind: "grant", Name: g.id(), By: g.Connection} }

// InProgram notes which grant the program has. GrantArgs implements inputs.Noted.
func (a GrantArgs) InProgram(ctx context.Context, before property.Map) {
	was := GrantState{Database: guard.Text(before.Get("database")), Schema: cmp.Or(guard.Text(before.Get("schema")), defaultSchema), Role: guard.Text(before.Get("role"))}
	a.state().object().InProgram(ctx, was.id())
}

// Create grants the privileges. Those that the user has already are no error: there is
// nothing to tell whose they were.
func (Grant) Create(ctx context.Context, req infer.CreateRequest[GrantArgs]) (infer.CreateResponse[GrantState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.CreateResponse[GrantState]{ID: want.id(), Output: want}, nil
	}
	if other := want.object().Other(ctx); other != "" {
		return infer.CreateResponse[GrantState]{}, want.twice(other)
	}
	err := with(ctx, want.Connection, want.Database, func(ctx context.Context, conn *pgx.Conn) error {
		return want.change(ctx, conn, GrantState{})
	})
	if err == nil {
		want.object().Made(ctx)
	}
	return infer.CreateResponse[GrantState]{ID: want.id(), Output: want}, err
}

// twice is the error for two resources of a program that would undo what the other does.
func (g GrantState) twice(other urn.URN) error {
	return fmt.Errorf("the resource %s of the program has what %s may do with schema %s of database %s already: a user has one PostgresGrant for each schema", other.Name(), g.Role, g.Schema, g.Database)
}

// Read finds which of the privileges the user still has: on all that is in the schema, and on
// what will be. An access of which something lacks is shown as what is left of it.
func (Grant) Read(ctx context.Context, req infer.ReadRequest[GrantArgs, GrantState]) (infer.ReadResponse[GrantArgs, GrantState], error) {
	args, kept := req.Inputs, infer.ReadResponse[GrantArgs, GrantState](req)
	now, imported := req.State, len(req.Inputs.Connection.Endpoints) == 0
	if imported {
		var err error
		if args, err = grantOf(req.ID); err != nil {
			return kept, err
		}
		now = args.state()
	}
	return refresh(ctx, now.object(), &args.Connection, args.Database, kept, func(ctx context.Context, conn *pgx.Conn) (gone bool, err error) {
		was := now
		if gone, err = now.look(ctx, conn, imported); gone || err != nil {
			return gone, err
		}
		if imported || !now.grantsAs(was) {
			args.Access = now.named()
			args.DatabasePrivileges, args.SchemaPrivileges, args.TablePrivileges, args.SequencePrivileges = nil, nil, nil, nil
			if now.Access = args.Access; args.Access == nil {
				args.DatabasePrivileges, args.SchemaPrivileges = now.DatabasePrivileges, now.SchemaPrivileges
				args.TablePrivileges, args.SequencePrivileges = now.TablePrivileges, now.SequencePrivileges
			}
		}
		return false, nil
	}, func(shown Connection) infer.ReadResponse[GrantArgs, GrantState] {
		now.Connection = args.Connection
		args.Connection = shown
		return infer.ReadResponse[GrantArgs, GrantState]{ID: req.ID, Inputs: args, State: now}
	})
}

// Update grants what is new, and revokes what is no longer listed.
func (Grant) Update(ctx context.Context, req infer.UpdateRequest[GrantArgs, GrantState]) (infer.UpdateResponse[GrantState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.UpdateResponse[GrantState]{Output: want}, nil
	}
	err := with(ctx, want.Connection, want.Database, func(ctx context.Context, conn *pgx.Conn) error {
		return want.change(ctx, conn, req.State)
	})
	return infer.UpdateResponse[GrantState]{Output: want}, err
}

// Delete revokes the privileges.
func (Grant) Delete(ctx context.Context, req infer.DeleteRequest[GrantState]) (infer.DeleteResponse, error) {
	g := req.State
	err := g.object().Delete(ctx, noAccess, away, func(ctx context.Context, c Connection) error {
		err := with(ctx, c, g.Database, func(ctx context.Context, conn *pgx.Conn) error { return g.revoke(ctx, conn) })
		if noDatabase(err) {
			return nil
		}
		return err
	})
	return infer.DeleteResponse{}, err
}
