package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// Where the page is, and what was measured last.
var (
	pageFile = filepath.Join(engine.Root(), "docs", "benchmarks.md")
	last     = filepath.Join(engine.Root(), "test", "machines", "bench", "results.json")
)

// kept is what tests on machines measured, which they do not write themselves.
var kept = regexp.MustCompile(`(?s)<!-- from tests on machines.*?<!-- end -->`)

// TestPage has the page say what was measured last, and nothing else.
func TestPage(t *testing.T) {
	before, err := os.ReadFile(pageFile)
	require.NoError(t, err)
	assert.Equal(t, string(before), read(t).page(t))
}

// read is what was measured last.
func read(t *testing.T) (r results) {
	t.Helper()
	text, err := os.ReadFile(last)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// page is the page anew, but for what is kept.
func (r results) page(t *testing.T) string {
	t.Helper()
	before, err := os.ReadFile(pageFile)
	require.NoError(t, err)
	r.Kept = kept.FindString(string(before))
	require.NotEmpty(t, r.Kept)
	var text strings.Builder
	require.NoError(t, page.Execute(&text, r))
	return text.String()
}

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
most 55 KiB for each.{{with .Unwritten}} With PULUMI_SKIP_CHECKPOINTS the first up of 100 takes {{.Up}}, and {{.MiB}} MiB at its
peak: the rest of both is the engine's, which writes the state of all before and after each step. [Sizes](sizes.md#the-others)
has what follows.{{end}}
{{if .Planner}}
The same volumes, drives, domains and certificates in one configuration of {{.Planner}}, whose libvirt provider asks a real
libvirtd: how long its first plan takes, beside the first preview above.

| machines | {{.Planner}} plan | first preview / plan | aim |
|---|---|---|---|
{{range .Scale}}| {{.Machines}} | {{.Plan}} | {{printf "%.2f" .OfPlan}} | {{if eq .Machines 100}}at most 0.5{{else if eq .Machines 10}}at most 1.0{{end}} |
{{end}}{{end}}{{if .Floors}}
Previews of programs without a machine: so long the CLI, the host of YAML and the plugins take to start, whatever a
provider does.

| program | preview |{{if .Planner}} {{.Planner}} plan |{{end}}
|---|---|{{if .Planner}}---|{{end}}
{{range .Floors}}| {{.What}} | {{.Preview}} |{{if $.Planner}} {{if .Plan}}{{.Plan}}{{end}} |{{end}}
{{end}}{{end}}{{if .Drives}}
## The libvirt plugin

Ten cloud-init drives on a real libvirtd: in each round they are all made anew, and then read in a refresh. Faults are
commands that failed or took longer than a minute. In every fifth round, and before the drives were destroyed, an update was killed.

| plugin | up: faults of | refresh: faults of | killed updates | drives they left | after the next update |
|---|---|---|---|---|---|
{{range $plugin, $d := .Drives}}| {{$plugin}} | {{$d.Up}} of {{$d.Up.Runs}} | {{$d.Refresh}} of {{$d.Refresh.Runs}} | {{$d.Kill.Runs}} | {{$d.Kill.Faults}} | {{$d.Left}} |
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
{{end}}{{if .Gaps}}
## How long clients are without PostgreSQL

Three nodes and two load balancers that share an address, on containers with the defaults. Clients of four kinds, each of which
connects anew about three times a second: direct or by the [pool](postgres-cluster.md), to the node that takes writes or to a standby. Seconds
from the beginning of the last that worked to the end of the next, the longest of each; no row that was acknowledged was lost.

| | direct, writer | direct, reader | pool, writer | pool, reader | aim |
|---|---|---|---|---|---|
{{range .GapRows}}| {{.What}} | {{.Of "direct writer"}} | {{.Of "direct reader"}} | {{.Of "pool writer"}} | {{.Of "pool reader"}} | at most {{.Aim}} |
{{end}}
The key of a leader that is lost expires from ` + "`ttl - loopWait` to `ttl`" + ` later, 20 to 30 s with Patroni's defaults, and then
another node is elected: where in its loop it is lost decides whether that is within 27 s.
{{end}}
{{.Kept}}
{{with .Settings}}
## PostgreSQL's settings

pgbench with {{.MiB}} MiB of accounts and eight clients on one PostgreSQL, with the distribution's settings and with those that
[fit a machine](sizes.md#postgresql) of {{.GiB}} GiB and this many processors. Medians of {{.Rounds}} rounds, in turns. All of it
fits into the memory of this machine: with a disk to wait for, and more data, the difference is another.

| | the distribution's | fitting | ratio |
|---|---|---|---|
| transactions that read, a second | {{printf "%.0f" .Distribution.Read}} | {{printf "%.0f" .Fitting.Read}} | {{printf "%.2f" (.Ratio "read")}} |
| transactions that write, a second | {{printf "%.0f" .Distribution.Write}} | {{printf "%.0f" .Fitting.Write}} | {{printf "%.2f" (.Ratio "write")}} |
| an index is made, seconds | {{printf "%.1f" .Distribution.Index}} | {{printf "%.1f" .Fitting.Index}} | {{printf "%.2f" (.Ratio "index")}} |
{{end}}`))
