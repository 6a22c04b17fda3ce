package admin

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Database is a database of PostgreSQL with its extensions.
type Database struct{}

// DatabaseArgs are the inputs of a Database.
type DatabaseArgs struct {
	Connection      Connection  `pulumi:"connection"`
	Name            *string     `pulumi:"name,optional" provider:"replaceOnChanges"`
	Owner           *string     `pulumi:"owner,optional"`
	Encoding        *string     `pulumi:"encoding,optional" provider:"replaceOnChanges"`
	Locale          *string     `pulumi:"locale,optional" provider:"replaceOnChanges"`
	ICULocale       *string     `pulumi:"icuLocale,optional" provider:"replaceOnChanges"`
	Template        *string     `pulumi:"template,optional"`
	ConnectionLimit *int        `pulumi:"connectionLimit,optional"`
	Extensions      []Extension `pulumi:"extensions,optional"`
	AllowDataLoss   *bool       `pulumi:"allowDataLoss,optional"`
}

// Extension is one that a database has.
type Extension struct {
	Name    string  `pulumi:"name"`
	Schema  *string `pulumi:"schema,optional"`
	Version *string `pulumi:"version,optional"`
}

// DatabaseState is a database as it is, also if a change of it stopped half-way.
type DatabaseState struct {
	Connection      Connection  `pulumi:"connection"`
	Name            string      `pulumi:"name"`
	Owner           string      `pulumi:"owner"`
	Encoding        *string     `pulumi:"encoding,optional"`
	Locale          *string     `pulumi:"locale,optional"`
	ICULocale       *string     `pulumi:"icuLocale,optional"`
	Template        *string     `pulumi:"template,optional"`
	ConnectionLimit int         `pulumi:"connectionLimit"`
	Extensions      []Extension `pulumi:"extensions,optional"` // infer drops an empty list
	AllowDataLoss   bool        `pulumi:"allowDataLoss"`
}

func (a DatabaseArgs) state() DatabaseState {
	d := DatabaseState{
		Connection: a.Connection, Name: ptr.Value(a.Name), Owner: cmp.Or(ptr.Value(a.Owner), a.Connection.user()),
		Encoding: a.Encoding, Locale: a.Locale, ICULocale: a.ICULocale, Template: a.Template, ConnectionLimit: unlimited,
		Extensions: append([]Extension{}, a.Extensions...), AllowDataLoss: ptr.Value(a.AllowDataLoss),
	}
	if a.ConnectionLimit != nil {
		d.ConnectionLimit = *a.ConnectionLimit
	}
	return d
}

func (d DatabaseState) object() Object {
	return Object{Kind: "database", Name: d.Name, By: d.Connection}
}

// InProgram notes which database the program has. DatabaseArgs implements inputs.Noted.
func (a DatabaseArgs) InProgram(ctx context.Context, before property.Map) {
	a.state().object().InProgram(ctx, guard.Text(before.Get("name")))
	noteConsent(ctx, ptr.Value(a.AllowDataLoss))
}

// Create creates a database that does not exist, or completes one of an update that was killed.
func (Database) Create(ctx context.Context, req infer.CreateRequest[DatabaseArgs]) (infer.CreateResponse[DatabaseState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.CreateResponse[DatabaseState]{ID: want.Name, Output: want}, nil
	}
	d, made := want, false
	d.Extensions = []Extension{}
	err := with(ctx, want.Connection, maintenance, func(ctx context.Context, conn *pgx.Conn) error {
		err := want.create(ctx, conn)
		if !isCode(err, duplicateDatabase) {
			return err
		}
		same, err := want.isThere(ctx, conn)
		return adopted(ctx, want.object(), "PostgresDatabase", same, err)
	})
	if err == nil {
		made = true
		want.object().Made(ctx)
		err = d.extend(ctx, want)
	}
	return infer.CreateResponse[DatabaseState]{ID: want.Name, Output: d}, object.Resumable(made, err)
}

// Read finds what has become of the database. Extensions that the program does not have are
// left out, but for an import.
func (Database) Read(ctx context.Context, req infer.ReadRequest[DatabaseArgs, DatabaseState]) (infer.ReadResponse[DatabaseArgs, DatabaseState], error) {
	args := req.Inputs
	args.Name = &req.ID
	kept := infer.ReadResponse[DatabaseArgs, DatabaseState]{ID: req.ID, Inputs: req.State.inputs(req.Inputs), State: req.State}
	var now DatabaseState
	return refresh(ctx, args.state().object(), &args.Connection, req.ID, kept, func(ctx context.Context, conn *pgx.Conn) (gone bool, err error) {
		imported := len(req.Inputs.Connection.Endpoints) == 0
		want := args.state()
		now = want
		if gone, err = now.look(ctx, conn); gone || err != nil {
			return gone, err
		}
		if err = now.lookAtExtensions(ctx, conn, imported); err != nil {
			return false, err
		}
		args.Extensions = now.Extensions
		shown(&args.Owner, want.Owner, now.Owner, imported)
		shown(&args.ConnectionLimit, want.ConnectionLimit, now.ConnectionLimit, false)
		if imported || args.Encoding != nil && !sameEncoding(*args.Encoding, *now.Encoding) {
			args.Encoding = now.Encoding
		}
		if imported || args.Locale != nil && *args.Locale != *now.Locale {
			args.Locale = now.Locale
		}
		if imported || args.ICULocale != nil && *args.ICULocale != ptr.Value(now.ICULocale) {
			args.ICULocale = now.ICULocale
		}
		return false, nil
	}, func(shown Connection) infer.ReadResponse[DatabaseArgs, DatabaseState] {
		state := args.state()
		args.Connection = shown
		return infer.ReadResponse[DatabaseArgs, DatabaseState]{ID: req.ID, Inputs: args, State: state}
	})
}

// Update changes only what differs from the last known state, as the preview says: refresh
// finds other changes of the database.
func (Database) Update(ctx context.Context, req infer.UpdateRequest[DatabaseArgs, DatabaseState]) (infer.UpdateResponse[DatabaseState], error) {
	want := req.Inputs.state()
	if req.DryRun {
		return infer.UpdateResponse[DatabaseState]{Output: want}, nil
	}
	before := req.State
	before.Connection, before.AllowDataLoss = want.Connection, want.AllowDataLoss
	before.Encoding, before.Locale, before.ICULocale, before.Template = want.Encoding, want.Locale, want.ICULocale, want.Template
	now := before
	var err error
	if now.Owner != want.Owner || now.ConnectionLimit != want.ConnectionLimit {
		err = with(ctx, want.Connection, maintenance, func(ctx context.Context, conn *pgx.Conn) error { return now.change(ctx, conn, want) })
	}
	if err == nil {
		err = now.extend(ctx, want)
	}
	return object.Updated(before, now, want, err)
}

// Delete deletes the database, if the program allows its data to be lost.
func (Database) Delete(ctx context.Context, req infer.DeleteRequest[DatabaseState]) (infer.DeleteResponse, error) {
	d := req.State
	return infer.DeleteResponse{}, d.object().Delete(ctx, noAccess, away, func(ctx context.Context, c Connection) error {
		if allowed, err := d.mayGo(ctx); err != nil || !allowed {
			return err
		}
		return with(ctx, c, maintenance, func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quoted(d.Name)+" WITH (FORCE)")
			return step(err, "delete database %s", d.Name)
		})
	})
}

// inputs are the inputs that match the state: if a change stopped half-way, the next update
// sees what is missing.
func (d DatabaseState) inputs(given DatabaseArgs) DatabaseArgs {
	if !object.Alike(d.Extensions, given.Extensions) {
		given.Extensions = d.Extensions
	}
	shown(&given.Owner, given.state().Owner, d.Owner, false)
	shown(&given.ConnectionLimit, given.state().ConnectionLimit, d.ConnectionLimit, false)
	return given
}
