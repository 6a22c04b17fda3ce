package etcd

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

const spaceQuota = "etcd.spaceQuota"

// space is what a member has at its place for its database, as far as it is known.
func space(s server.Backend) config.Space {
	return config.Space{Memory: s.MemoryBytes(), Volume: s.DataBytes()}
}

// takesQuota requires data volumes that take the database that the quota allows.
// Paths are of the inputs of these backends.
func takesQuota(settings config.Settings, paths []string, backends ...server.Backend) check.List {
	var l check.List
	for i, s := range backends {
		if reason := space(s).Exceeds(*settings.SpaceQuota); reason != "" {
			volume := check.Join(check.Join(paths[i], s.Input()), "dataVolume")
			l.Add(spaceQuota, "%s, for %s", reason, volume).Needing(volume)
			break
		}
	}
	return l
}

// warnOfQuota warns of a quota that seldom fits the machines, once for each reason.
func warnOfQuota[A any](ctx *pulumi.Context, in inputs.Inputs[A], given *config.Settings, about pulumi.Resource, backends ...server.Backend) error {
	if !in.Known(spaceQuota) {
		return nil
	}
	var told []string
	for _, s := range backends {
		told = append(told, space(s).Warnings(*given.WithDefaults().SpaceQuota, in.Given(spaceQuota))...)
	}
	slices.Sort(told)
	for _, warning := range slices.Compact(told) {
		if err := ctx.Log.Warn(warning, &pulumi.LogArgs{Resource: about}); err != nil {
			return fmt.Errorf("warn: %w", err)
		}
	}
	return nil
}
