package admin

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
)

// down has etcd make its data such that members of the minor before can read them, before the first of them goes back, and
// says what is missing until all have. Where the program wants the later minor again, it takes that back.
// https://etcd.io/docs/v3.6/downgrades/downgrade_3_6/
func (a HealthArgs) down(ctx context.Context, v view) (missing string, err error) {
	if a.Version == nil {
		return "", nil
	}
	under, target := v.downTo(), config.Down(v.running(), *a.Version)
	switch {
	case under != "" && !config.SameMinor(under, *a.Version):
		if _, err := v.client.Downgrade(ctx, clientv3.DowngradeCancel, ""); err != nil {
			return later("", fmt.Errorf("have etcd stay at %s: %w", *a.Version, err))
		}
		return "", nil
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
		case s.StorageVersion != "" && !config.SameMinor(s.StorageVersion, target):
			late = append(late, fmt.Sprintf("%s: its data are those of etcd %s still", called(m), s.StorageVersion))
		}
	}
	return strings.Join(late, "\n"), nil
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
