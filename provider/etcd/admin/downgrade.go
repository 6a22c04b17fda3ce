package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// prepares reports whether the gate is the one before all changes.
func (a HealthArgs) prepares() bool {
	return a.Version != nil && ptr.Value(a.RemoveOthers) && *a.Require == Quorum
}

// down has etcd make its data such that members of the minor before can read them, before the first of them goes back, and
// says what is missing until all have. Where the program wants the later minor again, it takes that back.
// https://etcd.io/docs/v3.6/downgrades/downgrade_3_6/
func (a HealthArgs) down(ctx context.Context, v view) (missing string, err error) {
	under := v.downTo()
	if a.Version == nil {
		return "", nil
	}
	target := config.Down(v.running(), *a.Version)
	switch {
	case under != "" && !config.SameMinor(under, *a.Version):
		return v.cancelDown(ctx)
	case target == "":
		return "", nil
	case under == "":
		if _, err := v.client.Downgrade(ctx, clientv3.DowngradeEnable, target); err != nil {
			return later("", fmt.Errorf("have etcd go back to %s: %w", *a.Version, err))
		}
		p.GetLogger(ctx).Infof("etcd makes its data such that %s can read them", *a.Version)
		return "etcd has yet to make its data such that " + *a.Version + " can read them", nil
	}
	var late []string
	for _, m := range v.list {
		switch s := v.of(m).status; {
		case s == nil: // it would be the first to change, and not start
			late = append(late, fmt.Sprintf("%s: does not answer, and its data must be such that %s can read them", called(m), *a.Version))
		case s.StorageVersion == "": // as of a young member
			late = append(late, fmt.Sprintf("%s: does not say yet of which version its data are", called(m)))
		case !config.SameMinor(s.StorageVersion, target):
			late = append(late, fmt.Sprintf("%s: its data are those of etcd %s still", called(m), s.StorageVersion))
		}
	}
	return strings.Join(late, "\n"), nil
}

// cancelDown has etcd stay where it is, which it may drop without a word.
func (v view) cancelDown(ctx context.Context) (missing string, err error) {
	under := v.downTo()
	if _, err := v.client.Downgrade(ctx, clientv3.DowngradeCancel, ""); err != nil {
		return later("", fmt.Errorf("have etcd go back to %s no more: %w", under, err))
	}
	return "etcd was on its way back to " + under + ", which is to end", nil
}

// takesIn says what is missing until etcd takes a member in: it takes none on its way back to an earlier minor version. Where
// none has gone back yet, as after an update that was killed, that ends.
func (v view) takesIn(ctx context.Context) (missing string, err error) {
	under := v.downTo()
	switch {
	case under == "":
		return "", nil
	case v.noneIsBack():
		return v.cancelDown(ctx)
	}
	return "", fmt.Errorf("etcd is on its way back to %s, and takes in no member meanwhile: give the later release again, as etcd.version, and `pulumi up`; go back when it is a member", under)
}

// stayUp ends what a gate has begun that did not pass: no member goes back.
func (a HealthArgs) stayUp(ctx context.Context, root *rootLogin) {
	if !a.prepares() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), foreseeing)
	defer cancel()
	_ = root.do(ctx, func(ctx context.Context, client *clientv3.Client) error {
		v, err := look(ctx, client, a.Etcd)
		if err != nil || !v.noneIsBack() {
			return err
		}
		_, err = v.cancelDown(ctx)
		return err
	})
}

// mayGoDown says why members cannot go back by a minor now, or "".
func (a HealthArgs) mayGoDown(v view, before HealthState) error {
	if config.Down(v.running(), ptr.Value(a.Version)) == "" {
		return nil
	}
	for _, m := range a.Members {
		if is := v.find(m.Name, m.IP); is == nil || is.IsLearner {
			return fmt.Errorf("%s is no member yet, and etcd takes none in on its way back from %s to %s: bring it in first, in an update of its own", m.Name, v.running()[0], *a.Version)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.Data)) {
		if now, has := a.Data[name]; has && !guest.Unchanged(before.Data[name], now) {
			return fmt.Errorf("%s loses its data in this update, and etcd takes no member in on its way back from %s to %s: give it a data volume first, in an update of its own", name, v.running()[0], *a.Version)
		}
	}
	return nil
}

// downTo is the version to which the cluster is on its way back, or "".
func (v view) downTo() string {
	for _, m := range v.list {
		if s := v.of(m).status; s != nil && s.DowngradeInfo != nil && s.DowngradeInfo.Enabled {
			return s.DowngradeInfo.TargetVersion
		}
	}
	return ""
}

// noneIsBack reports whether the cluster is on its way back, and no member runs the earlier version yet.
func (v view) noneIsBack() bool { return config.Down(v.running(), v.downTo()) != "" }
