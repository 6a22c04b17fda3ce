package bluegreen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Lags are what keeps the target from taking the source's place at once: databases that are to be copied first, or do not
// follow, and schemas that were changed. It looks, and changes nothing.
func (p Pair) Lags(ctx context.Context) (lines []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	source, done, err := in(ctx, p.Source, maintenance)
	if err != nil {
		return nil, err
	}
	defer done()
	target, done, err := in(ctx, p.Target, maintenance)
	if err != nil {
		return nil, err
	}
	defer done()
	names, err := databases(ctx, source)
	if err != nil {
		return nil, err
	}
	has, err := databases(ctx, target)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		more, err := p.lags(ctx, name, slices.Contains(has, name))
		if err != nil {
			return nil, fmt.Errorf("database %s: %w", name, err)
		}
		lines = append(lines, about(name, more)...)
	}
	return lines, nil
}

func (p Pair) lags(ctx context.Context, name string, exists bool) (lines []string, err error) {
	there, done, err := in(ctx, p.Source, name)
	if err != nil {
		return nil, err
	}
	defer done()
	bytes, err := value[int64](ctx, there, "SELECT pg_database_size(current_database())")
	if err != nil {
		return nil, err
	}
	first := fmt.Sprintf("is copied from the beginning first (%s): ", size(bytes))
	if !exists {
		return []string{first + "it came to the source since"}, nil
	}
	here, done, err := in(ctx, p.Target, name)
	if err != nil {
		return nil, err
	}
	defer done()
	if has, err := hasSchema(ctx, here); err != nil || !has {
		return []string{first + "it was not copied yet"}, err
	}
	differs, err := differ(ctx, there, here)
	if err != nil {
		return nil, err
	}
	if len(differs) > 0 {
		lines = append(lines, "its schema was changed, which has to be the same first: "+strings.Join(differs, "; "))
	}
	more, err := p.behind(ctx, there, here, first)
	return append(lines, more...), err
}

// behind is how far a database is from following.
func (p Pair) behind(ctx context.Context, there, here *pgx.Conn, first string) (lines []string, err error) {
	if err := found(ctx, there, inDatabase[0].query, inDatabase[0].line, &lines); err != nil {
		return nil, err
	}
	all, err := tablesOf(ctx, there)
	if err != nil || len(all.names) == 0 {
		return lines, err
	}
	others, err := all.madeAnew(ctx, here)
	if err != nil {
		return nil, err
	}
	now, err := followingOf(ctx, there, here)
	if err != nil {
		return nil, err
	}
	switch why := now.anew(others); {
	case why != "":
		lines = append(lines, first+why)
	case !now.at.Active:
		lines = append(lines, "does not follow the source now: `journalctl -u patroni` on the node that leads says why")
	case now.at.Behind > behindAtMost:
		lines = append(lines, fmt.Sprintf("is %s of WAL behind", size(now.at.Behind)))
	}
	return lines, nil
}
