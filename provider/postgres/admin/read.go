package admin

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
)

// refresh reads an object again: by the connection of its resource or, if it is being
// imported, by that of the environment. It returns nothing for an object that is gone, and
// the state as it was (kept) for one that cannot be read.
func refresh[A, S any](
	ctx context.Context, o Object, by *Connection, database string, kept infer.ReadResponse[A, S],
	look func(context.Context, *pgx.Conn) (gone bool, err error),
	found func(shown Connection) infer.ReadResponse[A, S],
) (infer.ReadResponse[A, S], error) {
	imported, gone := len(by.Endpoints) == 0, false
	shown, err := orFromEnvironment(by)
	if err == nil {
		err = object.ForRefresh(ctx, *by, away, func(ctx context.Context) error {
			return once(ctx, *by, database, func(ctx context.Context, conn *pgx.Conn) (err error) {
				gone, err = look(ctx, conn)
				return err
			})
		})
	}
	switch {
	case noDatabase(err):
		return infer.ReadResponse[A, S]{}, nil
	case !imported && err != nil:
		o.Unread(ctx, err)
		return kept, nil
	case gone || err != nil:
		return infer.ReadResponse[A, S]{}, err
	}
	return found(shown), nil
}

// adopted is whether one that is there already becomes the resource's own: if it is the same as is wanted.
func adopted(ctx context.Context, o Object, resource string, same bool, err error) error {
	switch {
	case err != nil:
		return err
	case !same || !o.MayAdopt(ctx):
		return object.Taken(o.Kind, resource, o.Name)
	}
	o.Adopted(ctx)
	return nil
}

// away reports whether err is that of a cluster which a refresh need not ask again soon.
func away(err error) bool { return errors.As(err, new(*connectError)) && !noDatabase(err) }

// unlessCode is err, or nil if it is an answer with one of these codes.
func unlessCode(err error, codes ...string) error {
	if isCode(err, codes...) {
		return nil
	}
	return err
}

// shown puts what is there into an input, where it is not what was wanted, or must be shown.
func shown[T comparable](input **T, want, now T, must bool) {
	if want != now || must {
		*input = &now
	}
}

// placeIn is the place of a text in a list, or -1.
func placeIn(list []string) func(string) int {
	return func(text string) int { return slices.Index(list, text) }
}
