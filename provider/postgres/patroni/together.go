package patroni

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// leastWAL is twice a segment of the WAL: with less, PostgreSQL does not start.
const leastWAL = 32 << 20

// logs are where PostgreSQL can write its log.
var logs = []string{"stderr", "csvlog", "jsonlog", "syslog"}

// param is what is given for a parameter, with its path.
type param struct{ path, value string }

// given are the parameters by their names in small letters.
func (c Config) given() map[string]param {
	all := map[string]param{}
	for name, value := range c.Postgres.Params {
		all[strings.ToLower(name)] = param{check.Join("postgres.params", name), value}
	}
	return all
}

// whole is the number of a parameter, or what PostgreSQL has without it.
func (p param) whole(preset int) int {
	if n, err := strconv.Atoi(strings.TrimSpace(p.value)); err == nil {
		return n
	}
	return preset
}

// together requires parameters with which PostgreSQL starts.
func (c Config) together() check.List {
	var l check.List
	all := c.given()
	most, reserved, more := all["max_connections"], all["superuser_reserved_connections"], all["reserved_connections"]
	if taken := reserved.whole(3) + more.whole(0); taken >= most.whole(100) {
		for _, p := range []param{reserved, more, most} {
			if p.path != "" {
				l.Add(p.path, "PostgreSQL would not start: superuser_reserved_connections (%d) and reserved_connections (%d) must together be less than max_connections (%d)", reserved.whole(3), more.whole(0), most.whole(100)).
					Needing(paths(reserved, more, most)...)
				break
			}
		}
	}
	for _, name := range []string{"max_wal_size", "min_wal_size"} {
		if n := bytesOf(name, all[name].value); n > 0 && n < leastWAL {
			l.Add(all[name].path, "must be 32MB or more, two segments of the WAL, not %s: PostgreSQL would not start", check.Bytes(n))
		}
	}
	if p := all["log_destination"]; p.path != "" {
		for word := range strings.SplitSeq(p.value, ",") {
			if w := strings.ToLower(strings.Trim(word, ` "`)); w != "" && !slices.Contains(logs, w) {
				l.Add(p.path, "must be %s, or some of them with commas, not %s", check.Or(logs), check.Quote(p.value))
				break
			}
		}
	}
	first, last := all["ssl_min_protocol_version"], all["ssl_max_protocol_version"]
	if a, b := strings.ToLower(first.value), strings.ToLower(last.value); b != "" && a > b { // tlsv1, tlsv1.1 and so on; "" is no bound
		l.Add(first.path, "must not be later than ssl_max_protocol_version, %s: PostgreSQL would not start", check.Quote(last.value)).Needing(last.path)
	}
	return l
}

func paths(params ...param) (all []string) {
	for _, p := range params {
		if p.path != "" {
			all = append(all, p.path)
		}
	}
	return all
}

// Without a unit a number counts the parameter's own, which may be another one than is meant:
// these are seldom less than that.
var (
	seldomBelow = map[string]int{
		"shared_buffers": 64 << 20, "effective_cache_size": 64 << 20, "work_mem": 1 << 20, "maintenance_work_mem": 4 << 20, "temp_buffers": 1 << 20,
	}
	inMilliseconds = []string{"statement_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout", "transaction_timeout"}
)

// warnOfTogether is of parameters with which PostgreSQL starts, and that are seldom meant.
func (c Config) warnOfTogether() check.List {
	var l check.List
	all := c.given()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := all[name]
		n, err := strconv.ParseFloat(strings.TrimSpace(p.value), 64)
		bare := err == nil && n == math.Trunc(n)
		switch bytes := bytesOf(name, p.value); {
		case bare && bytes > 0 && bytes < seldomBelow[name]:
			l.Add(p.path, "is %s: a number alone counts %s. MB was meant?", check.Bytes(bytes), parameterList()[name][0].unit)
		case bare && slices.Contains(inMilliseconds, name) && n > 0 && n < 1000:
			l.Add(p.path, "is %s milliseconds, as a number alone is: seconds were meant? Give the unit, as in %[1]ss", fmt.Sprint(n))
		case name == "huge_pages" && isSwitch(p.value) && !isOff(strings.ToLower(p.value)):
			l.Add(p.path, "is %s: PostgreSQL does not start on a machine on which no huge pages are set aside. With try it goes on without them", p.value)
		}
	}
	least, most := all["min_wal_size"], all["max_wal_size"]
	if a, b := bytesOf("min_wal_size", least.value), bytesOf("max_wal_size", most.value); b > 0 && a > b {
		l.Add(least.path, "is %s, which is more than max_wal_size, %s", check.Bytes(a), check.Bytes(b)).Needing(most.path)
	}
	return l
}
