package etcd

import (
	"fmt"

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

// warnOfQuota warns of a quota that seldom fits the machines, once for each reason. Paths and names
// are those of the machines.
func warnOfQuota[A any](ctx *pulumi.Context, in inputs.Inputs[A], given *config.Settings, about pulumi.Resource, paths, names []string, backends ...server.Backend) error {
	if !in.Known(spaceQuota) {
		return nil
	}
	var told check.List
	found := make([]check.List, len(backends))
	for i, s := range backends {
		for _, reason := range space(s).Warnings(*given.WithDefaults().SpaceQuota, in.Given(spaceQuota)) {
			found[i].Add(spaceQuota, "%s", reason)
		}
	}
	told.OfEach(paths, names, found)
	var said check.List
	for i, safe := range in.Safe(told) {
		if safe.Reason != told[i].Reason { // what it goes on with is counted from the secret
			safe.Reason = "a database of that size may need more than a machine has: compare it with the memory, and with the size of the data volume"
		}
		said.Once(check.List{safe})
	}
	for _, warning := range said {
		if err := ctx.Log.Warn(warning.String(), &pulumi.LogArgs{Resource: about}); err != nil {
			return fmt.Errorf("warn: %w", err)
		}
	}
	return nil
}
