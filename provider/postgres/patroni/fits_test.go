package patroni

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sizes are machines with a processor for each 2 GiB of memory, and ten times its size for data.
func sizes() (all []Machine) {
	for _, gib := range []int{1, 2, 4, 16, 64} {
		all = append(all, Machine{Memory: gib << 30, Disk: 10 * gib << 30, Processors: max(1, gib/2)})
	}
	return all
}

// TestFitting has what each parameter is on machines of 1, 2, 4, 16 and 64 GiB.
func TestFitting(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"shared_buffers":                   {"256MB", "512MB", "1024MB", "4096MB", "16384MB"},
		"effective_cache_size":             {"768MB", "1536MB", "3072MB", "12288MB", "49152MB"},
		"maintenance_work_mem":             {"64MB", "128MB", "256MB", "1024MB", "2047MB"},
		"work_mem":                         {"4MB", "5MB", "10MB", "40MB", "163MB"},
		"max_wal_size":                     {"1024MB", "2048MB", "4096MB", "8192MB", "8192MB"},
		"min_wal_size":                     {"256MB", "512MB", "1024MB", "2048MB", "2048MB"},
		"max_parallel_workers":             {"1", "1", "2", "8", "8"},
		"max_parallel_workers_per_gather":  {"0", "0", "1", "4", "4"},
		"max_parallel_maintenance_workers": {"1", "1", "1", "4", "4"},
	}
	got := map[string][]string{}
	for _, m := range sizes() {
		for name, value := range (Config{}).Fitting(m) {
			got[name] = append(got[name], value)
		}
	}
	assert.Equal(t, want, got)
}

// TestFittingLeavesMemory requires of any machine that PostgreSQL does not take more memory than it has: with a sort
// in each session, and each autovacuum worker at work.
func TestFittingLeavesMemory(t *testing.T) {
	t.Parallel()
	for mib := 512; mib <= 4<<20; mib += mib / 7 {
		has := Config{}.Fitting(Machine{Memory: mib << 20})
		size := func(name string) int { return bytesOf(name, has[name]) >> 20 }
		taken := size("shared_buffers") + 3*size("maintenance_work_mem")
		if mib >= 2048 { // below, PostgreSQL's own 4 MB are more than a part
			taken += 100 * size("work_mem")
		}
		assert.LessOrEqual(t, taken, mib*9/8*3/4, "%d MiB", mib)
		assert.GreaterOrEqual(t, size("shared_buffers"), presetBuffersMB)
	}
}

// TestParamsAreAboveFits leaves out what is given, and what belongs to it, in any case of letters.
func TestParamsAreAboveFits(t *testing.T) {
	t.Parallel()
	m := Machine{Memory: 16 << 30, Disk: 100 << 30, Processors: 16}
	c := Config{Postgres: Postgres{Params: map[string]string{"Shared_Buffers": "1GB", "max_wal_size": "2GB", "max_connections": "400", "max_worker_processes": "12"}}}
	has := c.Fitting(m)
	for _, name := range []string{"shared_buffers", "max_wal_size", "min_wal_size"} {
		assert.NotContains(t, has, name)
		assert.NotContains(t, c.rules(), name)
	}
	assert.Equal(t, "10MB", has["work_mem"], "for four times as many sessions as usual")
	assert.Equal(t, "12", has["max_parallel_workers"])
	assert.Empty(t, Config{}.Fitting(Machine{}), "nothing is known")
}

// TestFitsAreOfNodesOnly keeps out what Patroni takes for all nodes only, and PostgreSQL with what a standby may not
// have less of than the leader.
func TestFitsAreOfNodesOnly(t *testing.T) {
	t.Parallel()
	for _, f := range (Config{}).fits() {
		assert.NotContains(t, least, f.name)
		assert.NotContains(t, owned, f.name)
		assert.NotContains(t, presets, f.name)
		for _, version := range []string{"14", "15", "16", "17", "18"} {
			for _, value := range []int{f.least, f.most} {
				text := fmt.Sprint(value)
				if f.of != processors {
					text += "MB"
				}
				assert.Empty(t, refused(f.name, text, &version), "%s = %s in %s", f.name, text, version)
			}
		}
	}
}

// TestProgramFits has quorum-patroni come to the same on machines of all sizes.
func TestProgramFits(t *testing.T) {
	t.Parallel()
	const asks = `
import importlib.machinery, importlib.util, json, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("program", "program/quorum-patroni")
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("program", loader))
loader.exec_module(program)
asked = json.load(sys.stdin)
print(json.dumps([program.fits(asked, has) for has in asked["has"]]))`
	c := Config{Postgres: Postgres{Params: map[string]string{"max_connections": "300"}}}
	var has []map[string]int
	var want []map[string]string
	for _, m := range append(sizes(), Machine{Memory: 16 << 40, Disk: 1 << 50, Processors: 255}, Machine{Memory: 256 << 20, Disk: 64 << 20, Processors: 1}) {
		has = append(has, map[string]int{memory: m.Memory >> 20, disk: m.Disk >> 20, processors: m.Processors})
		want = append(want, c.Fitting(m))
	}
	asked, err := json.Marshal(map[string]any{"fits": c.rules(), "has": has})
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "python3", "-c", asks)
	command.Stdin, command.Stderr = strings.NewReader(string(asked)), os.Stderr
	said, err := command.Output()
	require.NoError(t, err)
	var got []map[string]string
	require.NoError(t, json.Unmarshal(said, &got))
	assert.Equal(t, want, got)
}

// TestPostgresStartsWithWhatFits has a real PostgreSQL start with the settings of each machine that is no larger than
// this one, and say that it has them.
func TestPostgresStartsWithWhatFits(t *testing.T) {
	t.Parallel()
	p := newPostgres(t)
	initdb := postgres{strings.TrimSuffix(p.program, "postgres") + "initdb", p.version, p.folder}
	said, err := initdb.run(t, "-D", p.folder+"/data", "-U", "postgres", "--no-sync", "-A", "trust")
	require.NoError(t, err, said)
	for _, m := range sizes() {
		has := Config{}.Fitting(m)
		if bytesOf("shared_buffers", has["shared_buffers"]) > 4<<30 {
			continue // its tables of pages alone would take much of this machine
		}
		args := []string{"--single", "-D", p.folder + "/data"}
		var asks strings.Builder
		for _, name := range slices.Sorted(maps.Keys(has)) {
			args = append(args, "-c", name+"="+has[name])
			fmt.Fprintf(&asks, "SELECT 'has ' || pg_size_bytes(current_setting('%s'));\n", name)
		}
		said, err := p.asked(t, asks.String(), append(args, "postgres")...)
		require.NoError(t, err, said)
		for name, value := range has {
			if bytes := bytesOf(name, value); bytes > 0 {
				assert.Contains(t, said, fmt.Sprintf("\"has %d\"", bytes), "%s = %s", name, value)
			}
		}
	}
}
