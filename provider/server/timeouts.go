package server

import (
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Hooks is false where a test has an engine of its own, which knows none.
var Hooks = true

// Timeouts are the customTimeouts of a cluster.
func Timeouts(opts []pulumi.ResourceOption) pulumi.CustomTimeouts {
	options, err := pulumi.NewResourceOptions(opts...)
	if err != nil || options.CustomTimeouts == nil {
		return pulumi.CustomTimeouts{}
	}
	return *options.CustomTimeouts
}

// Limit is one of customTimeouts, or 0 where it is not given: infer has "0s" then.
func Limit(given string) time.Duration {
	duration, err := time.ParseDuration(given)
	if err != nil {
		return 0
	}
	return duration
}

// GuardOptions are the options of a guard: its deletion is a step of an update, and
// takes as long as one may unless the cluster has a limit for deletions.
func GuardOptions(opts []pulumi.ResourceOption, more ...pulumi.ResourceOption) []pulumi.ResourceOption {
	if given := Timeouts(opts); Limit(given.Delete) == 0 && Limit(given.Update) > 0 {
		given.Delete = given.Update
		more = append(more, pulumi.Timeouts(&given))
	}
	return more
}
