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

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const rounds = 3

func TestBench(t *testing.T) {
	r := read(t)
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
		r.Unwritten = unwritten(t, 100)
		t.Logf("%+v", r.Unwritten)
		r.Floors = floors(t, planner)
		t.Logf("%+v", r.Floors)
	})
	t.Run("boot", r.boot)
	t.Run("drives", r.drives)
	t.Run("backups", r.backups)
	t.Run("founded", r.founded)
	t.Run("gaps", r.gaps)
	t.Run("settings", r.settings)
	if t.Failed() {
		return
	}
	text, err := json.MarshalIndent(r, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(last, append(text, '\n'), 0o644))
	require.NoError(t, os.WriteFile(pageFile, []byte(r.page(t)), 0o644))
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
	_, err = fmt.Sscanf(string(out), "up %d %d %d\nrefresh %d %d %d\nkill %d %d %d",
		&d.Up.Runs, &d.Up.Hangs, &d.Up.Faults, &d.Refresh.Runs, &d.Refresh.Hangs, &d.Refresh.Faults, &d.Kill.Runs, &d.Kill.Faults, &d.Left)
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
	measured(t, "TestBackup", &r.Founded)
}

// gaps has clients of all kinds beside what happens to the platform.
func (r *results) gaps(t *testing.T) {
	t.Helper()
	r.Gaps = nil
	measured(t, "TestGaps", &r.Gaps)
}

// measured has an end-to-end test say what it measured.
func measured(t *testing.T, test string, what any) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "measured.json")
	cmd := exec.Command("go", "test", "-count=1", "-tags", "e2e", "-timeout", "40m", "-v", "-run", "^"+test+"$", "./test/machines/e2e")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = engine.Root(), append(os.Environ(), "QUORUM_BENCH="+file), os.Stderr, os.Stderr
	require.NoError(t, cmd.Run())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, what))
}

func median(all []int) int {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
