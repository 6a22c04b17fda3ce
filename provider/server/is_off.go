package server

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// IsOff reports whether a machine was off when a refresh looked. Somebody may have
// started it since.
func IsOff(args *pulumi.ResourceHookArgs) bool {
	runs, known := args.OldOutputs["running"]
	return known && runs.IsBool() && !runs.BoolValue()
}
