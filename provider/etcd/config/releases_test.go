package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
)

// TestStep has members of some releases go to another one.
func TestStep(t *testing.T) {
	t.Parallel()
	const learners = "must be 3.5.26 or a later 3.5 first, on all members, and 3.6.11 after that"
	for _, c := range []struct {
		what    string
		running []string
		to      string
		reason  string
	}{
		{"a patch", []string{"3.5.16"}, "3.5.32", ""},
		{"the same", []string{"3.6.11"}, "3.6.11", ""},
		{"a patch back", []string{"3.5.32"}, "3.5.21", ""},
		{"Debian 13 to 3.6", []string{"3.5.16", "3.5.16", "3.5.16"}, "3.6.11", learners},
		{"a fix that was not all", []string{"3.5.24"}, "v3.6.11", learners},
		{"one member that has yet to follow", []string{"3.5.32", "3.5.32", "3.5.16"}, "3.6.11", learners},
		{"by way of a release that mends it", []string{"3.5.26"}, "3.6.11", ""},
		{"the release that is named is one to take", []string{"3.5.16"}, "3.6.0", "and 3.6.4 after that"},
		{"to one that does not start again", []string{"3.5.32"}, "3.6.3", "must be 3.6.4 or later"},
		{"the first release that does", []string{"3.5.32"}, "3.6.4", ""},
		{"away from one that does not", []string{"3.6.2"}, "3.6.4", ""},
		{"half-way", []string{"3.6.11", "3.5.32"}, "3.6.11", ""},
		{"half-way, and back", []string{"3.6.11", "3.5.32"}, "3.5.32", ""},
		{"all the way, and back", []string{"3.6.11", "3.6.11"}, "3.5.32", ""},
		{"back to one from which there is no way up", []string{"3.6.11"}, "3.5.16", "must be 3.5.26 or a later 3.5"},
		{"two minors back", []string{"3.7.1"}, "3.5.32", "must not be lower than 3.6: etcd goes back one"},
		{"back from 3.5", []string{"3.5.32"}, "3.4.30", "must not be lower than 3.5"},
		{"two minors", []string{"3.4.30"}, "3.6.11", "must be a 3.5 release first"},
		{"from 3.4 to 3.5", []string{"3.4.30"}, "3.5.16", ""},
		{"from 3.6 to 3.7", []string{"3.6.4"}, "3.7.1", ""},
		{"nothing answers", nil, "3.6.11", ""},
		{"nobody knows", []string{"unknown"}, "3.6.11", ""},
		{"a release candidate", []string{"3.5.32"}, "3.6.0-rc.3", "must be 3.6.4 or later"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			var reasons []string
			for _, version := range c.running {
				reasons = append(reasons, config.Step(c.running, version, c.to))
			}
			matches(t, c.reason, strings.Join(reasons, ""))
		})
	}
}

func TestWhoSeesMembers(t *testing.T) {
	t.Parallel()
	on, off := true, false
	for version, want := range map[string][2]bool{
		"3.4.41": {false, false}, "3.4.42": {true, true}, "v3.5.27": {false, false}, "v3.5.28": {true, true},
		"3.5.29": {false, true}, "3.6.9": {true, true}, "3.6.14": {false, true}, "3.7.0": {false, false}, "": {false, false},
	} {
		assert.Equal(t, want, [2]bool{
			config.OnlyRootSeesMembers(version), matching("does not list its members to Patroni", config.Settings{Version: &version, GRPCGatewayEnabled: &on}.Warnings()),
		}, version)
	}
	for version, warns := range map[string]bool{"3.4.42": true, "3.5.13": true, "v3.5.14": false, "3.6.0": false, "": false} {
		assert.Equal(t, warns, matching("as a peer", config.Settings{Version: &version, GRPCGatewayEnabled: &off}.Warnings()), version)
	}
}

func matching(part string, warnings check.List) bool {
	return slices.ContainsFunc(warnings, func(w check.Problem) bool { return strings.Contains(w.Reason, part) })
}

// TestDown has the data of a cluster made readable for the minor before only where all members have the later one.
func TestDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		running  []string
		to, want string
	}{
		{[]string{"3.6.11", "3.6.11"}, "3.5.32", "3.5.0"},
		{[]string{"3.6.11", "3.5.32"}, "3.5.32", ""},
		{[]string{"3.6.11"}, "3.6.4", ""},
		{[]string{"3.5.32"}, "3.4.30", ""},
		{[]string{"3.6.11", "unknown"}, "3.5.32", ""},
		{nil, "3.5.32", ""},
		{[]string{"3.6.11"}, "", ""},
	} {
		assert.Equal(t, c.want, config.Down(c.running, c.to), "%v to %s", c.running, c.to)
	}
}
