package patroni

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// neverOff are parameters without which a node does not have what it said it had.
var neverOff = map[string]string{
	"fsync":            "after a crash of its machine, the data of a node would be damaged",
	"full_page_writes": "after a crash of its machine, the data of a node would be damaged",
}

// doubtful are values that are allowed, and seldom meant.
var doubtful = map[string]struct{ value, why string }{
	"autovacuum":                    {"off", "tables grow, and the cluster refuses writes once transaction ids run out"},
	"track_counts":                  {"off", "autovacuum does not work without it"},
	"zero_damaged_pages":            {"on", "PostgreSQL deletes damaged pages"},
	"ignore_checksum_failure":       {"on", "PostgreSQL reads damaged pages"},
	"ignore_invalid_pages":          {"on", "recovery goes on with damaged data"},
	"logging_collector":             {"on", "logs go to files below the data, where neither journald limits nor Fluent Bit forwards them"},
	"default_transaction_read_only": {"on", "programs must ask to write in each transaction"},
	"ssl_min_protocol_version":      {"tlsv1", "TLS 1.0 is not secure"},
}

// undoing requires parameters not to undo what the cluster is set to, or lives by.
func (c Config) undoing() check.List {
	var l check.List
	for _, name := range slices.Sorted(maps.Keys(c.Postgres.Params)) {
		path, key, value := check.Join("postgres.params", name), strings.ToLower(name), strings.ToLower(strings.TrimSpace(c.Postgres.Params[name]))
		switch {
		case neverOff[key] != "" && isOff(value):
			l.Add(path, "must not be %s: %s", value, neverOff[key])
		case key == "password_encryption" && value == "md5":
			l.Add(path, "must be scram-sha-256: clients log in by that method, which does not work with passwords stored as md5")
		case key == "synchronous_commit" && *c.Patroni.IsSynchronous && (isOff(value) || value == "local"):
			l.Add(path, "must not be %s with synchronous replication, which waits for other nodes: set patroni.isSynchronous: false, or synchronous_commit in the sessions that may lose commits", value).
				Needing("patroni.isSynchronous")
		}
	}
	return l
}

// WarnOfParams is of parameters that are allowed, and seldom meant.
func (c Config) WarnOfParams() check.List {
	var l check.List
	for _, name := range slices.Sorted(maps.Keys(c.Postgres.Params)) {
		path, key, value := check.Join("postgres.params", name), strings.ToLower(name), strings.ToLower(strings.TrimSpace(c.Postgres.Params[name]))
		found := doubtful[key]
		switch {
		case found.value == "off" && isOff(value), found.value == "on" && isSwitch(value) && !isOff(value), found.value != "" && value == found.value:
			l.Add(path, "is %s: %s", value, found.why)
		case key == "synchronous_commit" && value == "remote_write" && *c.Patroni.IsSynchronous:
			l.Add(path, "is remote_write: a commit may be lost if the machines of the leader and of its standby fail together").Needing("patroni.isSynchronous")
		case key == "synchronous_commit" && isOff(value):
			l.Add(path, "is %s: the last commits are lost if the leader's PostgreSQL fails", value).Needing("patroni.isSynchronous")
		}
		l.Under("", c.warnOfRoom(path, key, c.Postgres.Params[name]))
	}
	l.Under("", c.warnOfTogether())
	l.Under("", c.warnOfLibraries())
	return l
}

func isOff(value string) bool {
	return value == "0" || value != "" && strings.HasPrefix("false", value) || strings.HasPrefix("no", value) && value != "" || len(value) > 1 && strings.HasPrefix("off", value)
}
