package patroni

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Of the machine's memory and of its data volume, these parameters take part.
var (
	inMemory = []string{"shared_buffers", "work_mem", "maintenance_work_mem", "autovacuum_work_mem", "wal_buffers", "logical_decoding_work_mem", "min_dynamic_shared_memory"}
	onVolume = []string{"max_wal_size", "min_wal_size", "wal_keep_size"}

	where = []string{"libvirt", "openstack"} // the inputs that say what the machine has
)

// room requires memory for what PostgreSQL takes at its start, and a volume for the WAL that it keeps.
func (c Config) room() check.List {
	var l check.List
	for _, name := range slices.Sorted(maps.Keys(c.Postgres.Params)) {
		path, key := check.Join("postgres.params", name), strings.ToLower(name)
		n := bytesOf(key, c.Postgres.Params[name])
		switch {
		case slices.Contains([]string{"shared_buffers", "min_dynamic_shared_memory"}, key) && c.MemoryBytes > 0 && n >= c.MemoryBytes:
			l.Add(path, "must be less than the memory of the machine, %s, not %s", check.Bytes(c.MemoryBytes), check.Bytes(n)).Needing(where...)
		case slices.Contains(onVolume, key) && c.DataBytes > 0 && n >= c.DataBytes:
			l.Add(path, "must be less than the data volume has, %s, not %s: PostgreSQL stops when that is full", check.Bytes(c.DataBytes), check.Bytes(n)).Needing(where...)
		}
	}
	return l
}

func (c Config) warnOfRoom(path, key, value string) check.List {
	var l check.List
	n := bytesOf(key, value)
	switch {
	case c.MemoryBytes == 0 || !slices.Contains(inMemory, key):
	case key == "shared_buffers" && n > c.MemoryBytes/2 && n < c.MemoryBytes:
		l.Add(path, "is %s of the %s of memory that the machine has: a quarter is usual", check.Bytes(n), check.Bytes(c.MemoryBytes)).Needing(where...)
	case key != "shared_buffers" && n >= c.MemoryBytes/2:
		l.Add(path, "is %s, and the machine has %s of memory: more than one session may take it", check.Bytes(n), check.Bytes(c.MemoryBytes)).Needing(where...)
	}
	return l
}

// bytesOf is the size that a parameter has with a value, 0 if it is none.
func bytesOf(name, value string) int {
	for _, k := range parameterList()[name] {
		n, unit, ok := split(value)
		scale, fits := k.scale(unit)
		own := ofMemory[strings.TrimLeft(k.unit, "0123456789")]
		if strings.HasPrefix(k.unit, "8") {
			own *= 8
		}
		if bytes := n * scale * own; ok && fits && bytes > 0 && bytes < 1<<60 {
			return int(bytes)
		}
	}
	return 0
}
