package health

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/bluegreen"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// looksAtSource finds what is in the way, all of it, before anything is made.
func (a HealthArgs) looksAtSource(ctx context.Context, preview, follows bool) error {
	if !a.UpgradeFrom.known() {
		if preview {
			p.GetLogger(ctx).Warning("upgradeFrom: this preview did not ask the source, as it does not know yet how to log in there. The update asks before it makes a machine, and fails with all that is in the way")
		}
		return nil
	}
	found, err := a.UpgradeFrom.pair().Check(ctx)
	if wanted, unfit := strconv.Atoi(ptr.Value(a.Plan.Version)); unfit == nil && err == nil && wanted < found.Version {
		found.Problems = append(found.Problems, fmt.Sprintf("it has PostgreSQL %d, and this cluster's postgres.version is %d: give %d or later", found.Version, wanted, found.Version))
	}
	switch {
	case err != nil && (preview || follows) && admin.IsAway(err):
		p.GetLogger(ctx).Warningf("upgradeFrom: the source does not answer from here, without which nothing is filled or cut over: %s", err)
		return nil
	case err != nil:
		return fmt.Errorf("upgradeFrom: the source: %w", err)
	case len(found.Problems) > 0 && follows:
		p.GetLogger(ctx).Warningf("upgradeFrom: the cutover needs of the source:\n- %s", strings.Join(found.Problems, "\n- "))
		return nil
	case len(found.Problems) > 0:
		return fmt.Errorf("upgradeFrom: the source cannot be copied yet:\n- %s", strings.Join(found.Problems, "\n- "))
	}
	text := fmt.Sprintf("upgradeFrom: nothing was found that keeps %s from being copied (%s of data). Until the cutover, change no schema there: that is not carried, and found before the cutover", a.UpgradeFrom.of(), size(found.Bytes))
	for _, note := range found.Notes {
		text += "\n- " + note
	}
	p.GetLogger(ctx).Info(text)
	return nil
}

// looksAgain has the plan's gate look while the copy goes on: what was in the way before it began is an error, and what has come
// since is told.
func (a HealthArgs) looksAgain(ctx context.Context, preview bool) error {
	if !a.UpgradeFrom.known() || len(a.UpgradeFrom.Target.Endpoints) == 0 {
		return a.looksAtSource(ctx, preview, false)
	}
	pair := a.UpgradeFrom.pair()
	begun, open, err := pair.Begun(ctx)
	follows := err == nil && begun && !open
	if err := a.looksAtSource(ctx, preview, follows); err != nil || !follows {
		return err
	}
	if text := lags(ctx, pair); text != "" {
		p.GetLogger(ctx).Warning("upgradeFrom: the next update that fills this cluster, or the cutover, has to wait:" + text)
	}
	return nil
}

// lags is what a cutover has to wait for, as far as it is seen.
func lags(ctx context.Context, pair bluegreen.Pair) string {
	lines, err := pair.Lags(ctx)
	if err != nil {
		lines = []string{"whether the copy follows is not seen: " + err.Error()}
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString("\n- " + line)
	}
	return text.String()
}
