//go:build bench

// Package bench measures, and writes docs/benchmarks.md: "make bench".
package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const rounds = 3

var page = template.Must(template.New("page").Parse(`<!-- Written by make bench. -->
# Benchmarks

Measured on {{.Cores}} cores, virtual machines with {{.DomainType}}. Times differ from machine to machine, and from run to
run: only the ratios of one run say something.

## Until healthy

Three virtual machines, from the start of pulumi up. Bare: until cloud-init is done on all of them. Cluster: until
etcd is healthy on all of them, from the same image. Medians of {{len .Bare}} rounds, in turns.

| bare | cluster | ratio | aim |
|---|---|---|---|
| {{.BareMedian}} s | {{.ClusterMedian}} s | {{printf "%.2f" .BootRatio}} | at most 1.15 |

Rounds, bare: {{.Bare}}; cluster: {{.Cluster}}.

## Many machines

The real engine against a fake libvirt that does nothing but remember, a CA that signs each machine's certificate.
Each command with the start of the CLI and its plugins. Memory is that of all processes together, at its peak.

| machines | resources | first preview | up | preview without changes | second up | second up / preview | peak memory |
|---|---|---|---|---|---|---|---|
{{range .Scale}}| {{.Machines}} | {{.Resources}} | {{.First}} | {{.Up}} | {{.Preview}} | {{.Second}} | {{printf "%.2f" .Ratio}} | {{.MiB}} MiB |
{{end}}
Aims for 100 machines: preview at most 3 s; second up at most 1.2 times the preview that finds nothing to change, as it.
`))

type results struct {
	Cores                     int
	DomainType                string
	Bare, Cluster             []int
	BareMedian, ClusterMedian int
	BootRatio                 float64
	Scale                     []scale
}

type scale struct {
	Machines, Resources, MiB   int
	First, Up, Preview, Second time.Duration
	Ratio                      float64
}

func TestBench(t *testing.T) {
	r := results{Cores: runtime.NumCPU()}
	ran := t.Run("many", func(t *testing.T) {
		for _, n := range []int{1, 10, 100} {
			r.Scale = append(r.Scale, many(t, n))
			t.Logf("%+v", r.Scale[len(r.Scale)-1])
		}
	}) && t.Run("boot", r.boot)
	if !ran || r.Scale == nil || r.Bare == nil {
		return
	}
	file, err := os.Create(filepath.Join(engine.Root(), "docs", "benchmarks.md"))
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, page.Execute(file, r))
}

func (r *results) boot(t *testing.T) {
	t.Helper()
	cmd := exec.Command(filepath.Join(engine.Root(), "test", "machines", "bench", "boot"), fmt.Sprint(rounds))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		kind, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind == "with" {
			r.DomainType = value
			continue
		}
		seconds, err := strconv.Atoi(value)
		require.NoError(t, err, line)
		if kind == "bare" {
			r.Bare = append(r.Bare, seconds)
		} else {
			r.Cluster = append(r.Cluster, seconds)
		}
	}
	require.Len(t, r.Cluster, rounds)
	r.BareMedian, r.ClusterMedian = median(r.Bare), median(r.Cluster)
	r.BootRatio = float64(r.ClusterMedian) / float64(r.BareMedian)
}

func median(all []int) int {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// many measures a program of n machines.
func many(t *testing.T, n int) scale {
	t.Helper()
	s := engine.New(t, engine.Options{Program: program(n)})
	memory := watchMemory()
	var r scale
	r.Machines = n
	r.First = took(func() { s.Preview() })
	r.Up = took(func() { s.Up() })
	r.Preview = took(func() { require.True(t, s.Preview().Unchanged()) })
	r.Second = took(func() { require.True(t, s.Up().Unchanged()) })
	r.MiB = memory.peakMiB()
	r.Ratio = r.Second.Seconds() / r.Preview.Seconds()
	r.Resources = len(s.Resources())
	return r
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
