package patroni

import (
	"fmt"
	"strconv"
)

// Machine is what a node's machine has: memory and disk in bytes, of the data volume; 0 is not known.
type Machine struct{ Memory, Disk, Processors int }

// What a machine has more of, or less.
const (
	memory     = "memory"
	disk       = "disk"
	processors = "processors"
)

// fit is a parameter that is a part of what the machine has, within bounds: MB, or a number of processes.
type fit struct {
	name, of    string
	times, by   int
	least, most int
	unless      string // this one is given
}

// PostgreSQL's own, of which less is no gain.
const (
	presetBuffersMB     = 128
	presetMaintenanceMB = 64
	presetWorkMB        = 4
	presetMinWALMB      = 80
	presetConnections   = 100
	presetWorkers       = 8
)

// fits are the parameters that follow from the machine, as guides have them:
//
//   - shared_buffers, a quarter: https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-SHARED-BUFFERS
//   - effective_cache_size, three quarters: https://wiki.postgresql.org/wiki/Tuning_Your_PostgreSQL_Server
//   - maintenance_work_mem, a sixteenth up to 2 GB, parallel workers, half of the processors up to 4:
//     https://github.com/le0pard/pgtune
//   - work_mem, so that one sort in each session takes another quarter.
//
// The WAL between two checkpoints takes a tenth of the volume, and no more than is recovered within
// primary_start_timeout: https://www.postgresql.org/docs/current/wal-configuration.html
//
// What all nodes have alike, as max_connections and max_worker_processes, is none of these: it is Patroni's
// default, and a standby may not have less than the leader.
func (c Config) fits() []fit {
	all := c.given()
	connections := max(1, all["max_connections"].whole(presetConnections))
	workers := all["max_worker_processes"].whole(presetWorkers)
	var open []fit
	for _, f := range []fit{
		{"shared_buffers", memory, 1, 4, presetBuffersMB, 64 << 10, ""},
		{"effective_cache_size", memory, 3, 4, presetBuffersMB, 12 << 20, ""},
		{"maintenance_work_mem", memory, 1, 16, presetMaintenanceMB, 2047, ""},
		{"work_mem", memory, 1, 4 * connections, presetWorkMB, 1024, ""},
		{"max_wal_size", disk, 1, 10, 256, 8 << 10, "min_wal_size"},
		{"min_wal_size", disk, 1, 40, presetMinWALMB, 2 << 10, "max_wal_size"},
		{"max_parallel_workers", processors, 1, 1, 1, max(1, workers), ""},
		{"max_parallel_workers_per_gather", processors, 1, 2, 0, 4, ""},
		{"max_parallel_maintenance_workers", processors, 1, 2, 1, 4, ""},
	} {
		_, given := all[f.name]
		_, other := all[f.unless]
		if !given && !other {
			open = append(open, f)
		}
	}
	return open
}

// rules are the fits as quorum-patroni reads them. It applies them when it starts, to what the machine has by
// then: of an instance the program knows a flavor only, and a change of memory needs no other change.
func (c Config) rules() map[string]string {
	all := map[string]string{}
	for _, f := range c.fits() {
		all[f.name] = fmt.Sprintf("%s %d %d %d %d", f.of, f.times, f.by, f.least, f.most)
	}
	return all
}

// Fitting are the parameters that fit a machine, as far as it is known: what quorum-patroni comes to there.
func (c Config) Fitting(m Machine) map[string]string {
	has := map[string]int{memory: whole(m.Memory) >> 20, disk: whole(m.Disk) >> 20, processors: m.Processors}
	all := map[string]string{}
	for _, f := range c.fits() {
		if has[f.of] == 0 {
			continue
		}
		all[f.name] = strconv.Itoa(max(f.least, min(f.most, has[f.of]*f.times/f.by)))
		if f.of != processors {
			all[f.name] += "MB"
		}
	}
	return all
}

// whole is a size up to the next eighth of a power of two: a kernel keeps some of the memory for itself, and a
// file system some of its volume, so that a machine sees a little less than it was given.
func whole(bytes int) int {
	step := 1
	for step<<4 <= bytes {
		step <<= 1
	}
	return (bytes + step - 1) / step * step
}
