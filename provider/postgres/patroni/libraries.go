package patroni

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// libraries are those that PostgreSQL itself brings for its parameters of libraries, by the first
// version that has them, and those of others that are usual there, by 0.
var libraries = map[string]int{
	"auth_delay": leastVersion, "auto_explain": leastVersion, "passwordcheck": leastVersion, "pg_prewarm": leastVersion,
	"pg_stat_statements": leastVersion, "sepgsql": leastVersion, "plpgsql": leastVersion, "pgoutput": leastVersion, "test_decoding": leastVersion,
	"basebackup_to_shell": 15, "basic_archive": 15, "pg_overexplain": 18,
	"age": 0, "anon": 0, "bgw_replstatus": 0, "citus": 0, "credcheck": 0, "pg_cron": 0, "pg_failover_slots": 0, "pg_hint_plan": 0, "pg_net": 0,
	"pg_partman_bgw": 0, "pg_qualstats": 0, "pg_squeeze": 0, "pg_stat_kcache": 0, "pg_stat_monitor": 0, "pg_track_settings": 0, "pg_wait_sampling": 0,
	"pgaudit": 0, "pglogical": 0, "pgextwlist": 0, "plprofiler": 0, "powa": 0, "set_user": 0, "supautils": 0, "timescaledb": 0, "wal2json": 0,
}

// warnOfLibraries is of names that are likely slips of another: a library that is not there keeps
// PostgreSQL from starting, or each session from beginning. Any other one may be in the image.
func (c Config) warnOfLibraries() check.List {
	var l check.List
	all := c.given()
	for _, param := range []string{"shared_preload_libraries", "session_preload_libraries", "local_preload_libraries"} {
		p, what := all[param], "no session begins"
		if param == "shared_preload_libraries" {
			what = "PostgreSQL does not start"
		}
		for word := range strings.SplitSeq(p.value, ",") {
			name := libraryName(word)
			first, known := libraries[name]
			version, err := strconv.Atoi(ptr.Value(c.Postgres.Version))
			near := check.Nearest(name, slices.Sorted(maps.Keys(libraries)))
			switch {
			case name == "" || strings.Contains(name, "/"):
			case known && err == nil && version < first:
				l.Add(p.path, "has %s, which PostgreSQL has from version %d on, and this is %d: without it %s", name, first, version, what).Needing("postgres.version")
			case !known && near != "":
				l.Add(p.path, "has %s, which is none of the usual libraries: if it is not installed, %s.%s", check.Quote(name), what, check.DidYouMean(near))
			}
		}
	}
	return l
}
