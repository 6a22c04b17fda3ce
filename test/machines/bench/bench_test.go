//go:build bench

// Package bench measures, and writes docs/benchmarks.md: "make bench", or for one of its parts
// "make bench BENCH=backups". The others keep what they measured last: results.json.
package bench

import (
	"encoding/json"
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

| machines | resources | first preview | up | preview without changes | second up | second up / preview | peak memory | state of each machine |
|---|---|---|---|---|---|---|---|---|
{{range .Scale}}| {{.Machines}} | {{.Resources}} | {{.First}} | {{.Up}} | {{.Preview}} | {{.Second}} | {{printf "%.2f" .Ratio}} | {{.MiB}} MiB | {{if .KiB}}{{.KiB}} KiB{{else}}not measured{{end}} |
{{end}}
Aims for 100 machines: preview at most 3 s; second up at most 1.2 times the preview that finds nothing to change, as it; memory at most 800 MiB; state at
most 55 KiB for each.
{{if .Planner}}
The same volumes, drives, domains and certificates in one configuration of {{.Planner}}, whose libvirt provider asks a real
libvirtd: how long its first plan takes, beside the first preview above.

| machines | {{.Planner}} plan | first preview / plan | aim |
|---|---|---|---|
{{range .Scale}}| {{.Machines}} | {{.Plan}} | {{printf "%.2f" .OfPlan}} | {{if eq .Machines 100}}at most 0.5{{else if eq .Machines 10}}at most 1.0{{end}} |
{{end}}{{end}}{{if .Drives}}
## The libvirt plugin

Ten cloud-init drives on a real libvirtd: in each round they are all made anew, and then read in a refresh. Faults are
commands that failed or took longer than a minute. In every fifth round, and before the last, an update was killed first.

| plugin | up: faults of | refresh: faults of | killed updates | drives they left | after the next update |
|---|---|---|---|---|---|
{{range $plugin, $d := .Drives}}| {{$plugin}} | {{$d.Up.Faults}} of {{$d.Up.Runs}} | {{$d.Refresh.Faults}} of {{$d.Refresh.Runs}} | {{$d.Kill.Runs}} | {{$d.Kill.Faults}} | {{$d.Left}} |
{{end}}{{end}}{{if .Backups.MiB}}
## Backups

PostgreSQL with {{.Backups.MiB}} MiB in its tables, and an S3 service on the same machine: the work of quorum-backup beside what
the disk does with the same files when nothing of them is in memory. The backup has {{.Backups.Repository}} MiB.

| | seconds | MiB/s | times reading them |
|---|---|---|---|
{{range .Backups.Rows}}| {{.What}} | {{printf "%.1f" .Seconds}} | {{printf "%.0f" .Speed}} | {{printf "%.1f" .Times}} |
{{end}}{{end}}{{if .Founded.Empty}}
A cluster of one node and a load balancer, on containers, until pulumi up ends with the first verified backup of its own:
founded empty {{printf "%.0f" .Founded.Empty}} s, founded from a backup {{printf "%.0f" .Founded.Restored}} s: {{printf "%.2f" .Founded.Ratio}} times.
{{end}}`))

type results struct {
	Cores                     int
	DomainType                string
	Bare, Cluster             []int
	BareMedian, ClusterMedian int
	BootRatio                 float64
	Scale                     []scale
	Planner                   string            // what they are compared with
	Drives                    map[string]drives // by the plugin
	Backups                   backups
	Founded                   founded
}

// drives counts what became of cloud-init drives.
type drives struct {
	Up, Refresh, Kill counted
	Left              int
}

type counted struct{ Runs, Faults int }

// backups are seconds for the same data.
type backups struct {
	MiB        int
	Read       float64
	Write      float64
	Backup     float64
	Verify     float64
	Drill      float64
	Repository int // MiB
}

type row struct {
	What                  string
	Seconds, Speed, Times float64
}

// Rows are those of the page.
func (b backups) Rows() (rows []row) {
	for _, r := range []row{
		{What: "read from the disk", Seconds: b.Read},
		{What: "written to the disk", Seconds: b.Write},
		{What: "full backup", Seconds: b.Backup},
		{What: "verification of the repository", Seconds: b.Verify},
		{What: "drill: restored, recovered, each table, index and page checked", Seconds: b.Drill},
	} {
		r.Speed, r.Times = float64(b.MiB)/r.Seconds, r.Seconds/b.Read
		rows = append(rows, r)
	}
	return rows
}

// founded has the seconds until a cluster was founded.
type founded struct{ Empty, Restored float64 }

// Ratio is how much longer it takes from a backup.
func (f founded) Ratio() float64 { return f.Restored / f.Empty }

type scale struct {
	Machines, Resources, MiB   int
	KiB                        int // of the state, for each machine
	First, Up, Preview, Second time.Duration
	Plan                       time.Duration // of the same resources by another program
	Ratio                      float64
}

// OfPlan is what a first preview takes of that.
func (s scale) OfPlan() float64 { return s.First.Seconds() / s.Plan.Seconds() }

func TestBench(t *testing.T) {
	var r results
	kept := filepath.Join(engine.Root(), "test", "machines", "bench", "results.json")
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	r.Cores = runtime.NumCPU()
	t.Run("many", func(t *testing.T) {
		planner := newPlanner(t)
		r.Scale, r.Planner = nil, ""
		if planner != nil {
			r.Planner = planner.Name
		}
		for _, n := range []int{1, 10, 100} {
			r.Scale = append(r.Scale, many(t, n, planner))
			t.Logf("%+v", r.Scale[len(r.Scale)-1])
		}
	})
	t.Run("boot", r.boot)
	t.Run("drives", r.drives)
	t.Run("backups", r.backups)
	t.Run("founded", r.founded)
	if t.Failed() {
		return
	}
	text, err = json.MarshalIndent(r, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(kept, append(text, '\n'), 0o644))
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
	r.Bare, r.Cluster = nil, nil
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

func (r *results) drives(t *testing.T) {
	t.Helper()
	rounds, name, plugin := "100", "this project's", os.Getenv("BENCH_PLUGIN")
	if plugin != "" { // it may hang for a minute each time
		rounds, name = "20", "this project's, without its patches"
	}
	cmd := exec.Command(filepath.Join(engine.Root(), "test", "machines", "bench", "drives"), rounds, plugin)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var d drives
	_, err = fmt.Sscanf(string(out), "up %d %d\nrefresh %d %d\nkill %d %d %d",
		&d.Up.Runs, &d.Up.Faults, &d.Refresh.Runs, &d.Refresh.Faults, &d.Kill.Runs, &d.Kill.Faults, &d.Left)
	require.NoError(t, err)
	if r.Drives == nil {
		r.Drives = map[string]drives{}
	}
	r.Drives[name] = d
}

// mib is so much that starting programs takes little of the time.
const mib = "2048"

func (r *results) backups(t *testing.T) {
	t.Helper()
	s3, err := exec.Command(filepath.Join(engine.Root(), "tools", "build"), "s3").Output()
	require.NoError(t, err)
	cmd := exec.Command("python3", filepath.Join(engine.Root(), "test", "machines", "bench", "backup.py"), mib)
	cmd.Env, cmd.Stderr = append(os.Environ(), "S3="+strings.TrimSpace(string(s3))), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &r.Backups))
}

// founded has the end-to-end test of backups found a cluster that is empty, too.
func (r *results) founded(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "founded.json")
	cmd := exec.Command("go", "test", "-count=1", "-tags", "e2e", "-timeout", "40m", "-run", "^TestBackup$", "./test/machines/e2e")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = engine.Root(), append(os.Environ(), "QUORUM_BENCH="+file), os.Stderr, os.Stderr
	require.NoError(t, cmd.Run())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r.Founded))
}

func median(all []int) int {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

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
