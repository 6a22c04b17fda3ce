//go:build bench

package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// many measures a program of n machines.
func many(t *testing.T, n int, planner *planner) scale {
	t.Helper()
	s := engine.New(t, engine.Options{Program: program(n)})
	memory := watchMemory()
	var r scale
	r.Machines = n
	r.First = took(func() { s.Preview() })
	r.Up = took(func() { s.Up() })
	r.KiB = len(s.Export()) / n >> 10
	if planner != nil {
		r.Plan = planner.plan(t, n, s.World)
	}
	r.Preview = took(func() { require.True(t, s.Preview().Unchanged()) })
	r.Second = took(func() { require.True(t, s.Up().Unchanged()) })
	r.MiB = memory.peakMiB()
	r.Ratio = r.Second.Seconds() / r.Preview.Seconds()
	r.Resources = len(s.Resources())
	return r
}

// unwritten measures the first update where the engine writes the state at its end only.
func unwritten(t *testing.T, n int) *scale {
	t.Helper()
	s := engine.New(t, engine.Options{Program: program(n), Env: map[string]string{"PULUMI_SKIP_CHECKPOINTS": "true"}})
	memory := watchMemory()
	r := &scale{Machines: n}
	r.Up = took(func() { s.Up() })
	r.MiB = memory.peakMiB()
	return r
}

// floors measures previews of programs without machines: what they take, all previews do.
func floors(t *testing.T, planner *planner) []floor {
	t.Helper()
	all := []floor{
		{What: "an empty program"}, {What: "providers of the three packages, which start their plugins"}, {What: "the CA"},
	}
	for i, program := range []string{
		"resources: {}",
		"resources:\n  a: {type: pulumi:providers:quorum}\n  b: {type: pulumi:providers:libvirt}\n  c: {type: pulumi:providers:tls}\n",
		program(0),
	} {
		s := engine.New(t, engine.Options{Program: program})
		s.Preview() // it reads the files of all programs
		all[i].Preview = took(func() { s.Preview() })
		if planner != nil && i == len(all)-1 {
			all[i].Plan = planner.plan(t, 0, s.World)
		}
	}
	return all
}

func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start).Round(10 * time.Millisecond)
}

func program(n int) string {
	var b strings.Builder
	b.WriteString(engine.Authority)
	for i := range n {
		fmt.Fprintf(&b, `  etcd-%[1]d:
    type: quorum:EtcdServer
    properties:
      sshAdminPublicKey: %[2]s
      libvirt:
        volume: {pool: default, baseVolumeName: base.qcow2}
        dataVolume: {pool: default, size: 10737418240}
        cloudInitVolumePool: default
        networks: [{networkName: default, ip: 10.77.1.%[1]d, prefixLength: 16}]
      cluster: {initialMembers: [{name: etcd-%[1]d, ip: 10.77.1.%[1]d}]}
      ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
`, i+1, engine.SSHKey)
	}
	return b.String()
}
