package admin_test

import (
	"net"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// TestGuard has the machine of a member go, in a cluster that does not answer.
func TestGuard(t *testing.T) {
	t.Parallel()
	off, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, off.Close())
	s := newServer(t)
	guard := func(machine any) property.Map {
		return object("gate", "main-plan", "member", "etcd-1", "machine", machine)
	}
	goes := func() error {
		return s.Delete(p.DeleteRequest{ID: "guard", Urn: named("main-guard-etcd-1", "EtcdGuard"), Properties: guard("m1"), Timeout: 3})
	}
	require.NoError(t, goes(), "no program is there: all is being destroyed")

	diff, err := s.Diff(p.DiffRequest{
		ID: "guard", Urn: named("main-guard-etcd-1", "EtcdGuard"), State: guard("m1"), OldInputs: guard("m1"),
		Inputs: guard("m1").Set("machine", property.New(property.Computed)),
	})
	require.NoError(t, err)
	assert.True(t, diff.DeleteBeforeReplace)
	assert.Equal(t, p.UpdateReplace, diff.DetailedDiff["machine"].Kind)
	require.ErrorContains(t, goes(), "the machine of etcd-1 cannot be deleted in this update, which leaves out main-plan")

	gate := object("etcd", object("endpoints", []string{off.Addr().String()}, "caCert", embedetcd.PKI(t, "ca.crt"), "username", "root", "password", "another"),
		"members", []property.Map{object("name", "etcd-1", "ip", "127.0.0.1"), object("name", "etcd-2", "ip", "127.0.0.2")}, "require", "quorum")
	says := func(in property.Map) {
		checked, err := s.Check(p.CheckRequest{Urn: named("main-plan", "EtcdHealth"), Inputs: in})
		require.NoError(t, err)
		require.Empty(t, checked.Failures)
	}
	says(gate)
	require.ErrorContains(t, goes(), "etcd does not answer")
	says(gate.Set("skipHealthChecks", property.New(true)))
	require.NoError(t, goes(), "skipHealthChecks passes")
	require.ErrorContains(t, goes(), "cannot be deleted in this update: skipHealthChecks is on, and without health checks at most 1 of 2 members may be rebuilt or removed in one update")
}
