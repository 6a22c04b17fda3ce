package admin

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// consent is noted by the URN of a database whose data may be lost, says the program.
type consent bool

func noteConsent(ctx context.Context, allowed bool) {
	running.Note(ctx, string(running.URN(ctx)), func(c *consent) { *c = consent(allowed) })
}

// mayGo reports whether the database may be deleted: the program says so, or said so before
// it lost the database. When a stack is destroyed, a database without that stays, since its
// cluster may belong to another stack; in an update that is an error.
func (d DatabaseState) mayGo(ctx context.Context) (bool, error) {
	noted, _ := running.Noted[consent](ctx, string(running.URN(ctx)))
	switch {
	case d.AllowDataLoss || bool(noted):
		return true, nil
	case running.Program(ctx):
		return false, fmt.Errorf("database %s was not deleted: its data would be lost. To delete it, have it in the program with allowDataLoss: true, run `pulumi up`, and take it out then. "+
			"To keep it and no longer manage it, run `pulumi state delete '%s'`", d.Name, running.URN(ctx))
	}
	p.GetLogger(ctx).Warning(fmt.Sprintf("%s stays in PostgreSQL, and was removed from the state, as when the stack is destroyed: without allowDataLoss its data are not deleted", d.object()))
	return false, nil
}

// Decide has a database made anew by another encoding or locale, under the name that the old
// one must have left, but not where the program leaves that open.
func (Database) Decide(_ context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	answer := p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
	for _, path := range []string{"encoding", "locale", "icuLocale"} {
		change, has := changes[path]
		switch {
		case has && req.Inputs.Get(path).IsNull():
			change.Kind = p.Delete
			changes[path] = change
		case has:
			answer.DeleteBeforeReplace = true
		}
	}
	return answer
}

// ValidateChange refuses what would delete the database, unless the program allows it.
func (a DatabaseArgs) ValidateChange(before DatabaseArgs) []check.Problem {
	var l check.List
	for _, text := range []struct {
		path     string
		was, now *string
	}{{"name", before.Name, a.Name}, {"encoding", before.Encoding, a.Encoding}, {"locale", before.Locale, a.Locale}, {"icuLocale", before.ICULocale, a.ICULocale}} {
		if text.now != nil && ptr.Value(text.was) != *text.now && !ptr.Value(a.AllowDataLoss) {
			l.Add(text.path, "this change deletes database %s, and creates it anew without its data. Take it back, or allow the loss with allowDataLoss: true", ptr.Value(before.Name)).
				Needing("allowDataLoss")
		}
	}
	return l
}
