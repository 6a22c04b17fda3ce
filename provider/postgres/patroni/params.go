package patroni

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// owned are the parameters that users do not set, and who does:
// https://patroni.readthedocs.io/en/latest/patroni_configuration.html#postgresql-parameters-controlled-by-patroni
var owned = map[string]string{
	"listen_addresses":          "Patroni sets it, to the machine's first address",
	"port":                      "Patroni sets it",
	"cluster_name":              "Patroni sets it, to patroni.scope",
	"hot_standby":               "Patroni always has it on",
	"synchronous_standby_names": "Patroni sets it, by patroni.isSynchronous and patroni.synchronousSettings",
	"primary_conninfo":          "Patroni sets it",
	"primary_slot_name":         "Patroni sets it",
	"recovery_target_timeline":  "Patroni sets it",
	"data_directory":            "this resource sets it",
	"config_file":               "this resource sets it",
	"hba_file":                  "this resource sets it",
	"ident_file":                "this resource sets it",
	"ssl":                       "this resource sets it",
	"ssl_cert_file":             "this resource sets it, from the certificates",
	"ssl_key_file":              "this resource sets it, from the certificates",
	"ssl_ca_file":               "this resource sets it, from the certificates",
}

// IsOwned reports whether a parameter is one that users do not set.
func IsOwned(name string) bool {
	_, is := owned[strings.ToLower(name)]
	return is
}

// presets are parameters that PostgreSQL leaves off, or without a limit.
var presets = map[string]text{
	"log_connections":         "on",
	"log_lock_waits":          "on",
	"tcp_keepalives_idle":     "60",
	"tcp_keepalives_interval": "10",
	"tcp_keepalives_count":    "6",
}

// parameters are those that the user gives, and what is preset. Slots may keep half of the
// data volume: beyond that the disk would be full before what they keep WAL for came back.
func (c Config) parameters() map[string]text {
	all := maps.Clone(presets)
	if half := c.DataBytes >> 21; half > 0 {
		all["max_slot_wal_keep_size"] = text(fmt.Sprintf("%dMB", half))
	}
	for _, name := range c.Postgres.Extensions {
		for param, value := range extensions[name].params {
			all[param] = text(value)
		}
	}
	for name, value := range c.Postgres.Params {
		delete(all, strings.ToLower(name))
		all[name] = text(value)
	}
	return all
}

// Parameters are those that the nodes of a program share, whatever their volumes.
func Parameters(p Postgres) map[string]string {
	all := map[string]string{}
	for name, value := range (Config{Postgres: p}).parameters() {
		all[name] = string(value)
	}
	return all
}

// least are the lowest values that Patroni takes. It drops what is lower, and
// what is no plain number, and says so in its log only.
var least = map[string]int{
	"max_connections":           25,
	"max_locks_per_transaction": 32,
	"max_worker_processes":      2,
	"max_prepared_transactions": 0,
	"max_wal_senders":           3,
	"max_replication_slots":     4,
	"wal_keep_segments":         1,
}

// leastWALKeepMB is the lowest wal_keep_size that Patroni takes.
const leastWALKeepMB = 16

// validateParams returns what is wrong with parameters of a version of PostgreSQL, each for
// itself. What else it would say the machine asks it.
func validateParams(params map[string]string, version *string) check.List {
	var l check.List
	names := slices.Sorted(maps.Keys(params))
	first := map[string]string{}
	for _, name := range names {
		path, key := check.Join("params", name), strings.ToLower(name)
		if !check.Matches(`[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)?`, name) {
			l.Add("params", "must have names of parameters, not %s", check.Quote(name))
			continue
		}
		if other, twice := first[key]; twice {
			l.Add(path, "is given twice: in PostgreSQL, %s is the same parameter", other)
		}
		first[key] = name
		if why, is := owned[key]; is {
			l.Add(path, "must not be given: %s", why)
			continue
		}
		reason := parameter(key, params[name])
		if reason == "" {
			reason = refused(key, params[name], version)
		}
		if reason != "" {
			l.Add(path, "%s", reason).Needing("version")
		}
	}
	return l
}

// parameter says what is wrong with the value of a parameter.
func parameter(name, value string) string {
	lowest, bounded := least[name]
	n, err := strconv.Atoi(value)
	switch {
	case strings.ContainsAny(value, "\r\n\x00"):
		return "must be one line"
	case bounded && (err != nil || n < lowest):
		return "must be a number of " + strconv.Itoa(lowest) + " or more, as Patroni requires, not " + check.Quote(value)
	case name == "wal_keep_size" && walKeepMB(value) < leastWALKeepMB:
		return "must be a size of 16MB or more, as Patroni requires, not " + check.Quote(value)
	case name == "wal_level" && !slices.Contains([]string{"replica", "hot_standby", "logical"}, strings.ToLower(value)):
		return "must be replica or logical, as Patroni requires, not " + check.Quote(value)
	case (name == "wal_log_hints" || name == "track_commit_timestamp") && !isBool(value):
		return "must be on or off, not " + check.Quote(value)
	}
	return ""
}

// walKeepMB is a size as PostgreSQL writes it, in MB; -1 if it is none.
func walKeepMB(value string) int {
	number := strings.TrimRight(value, "kMGTB ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return -1
	}
	switch strings.TrimSpace(value[len(number):]) {
	case "", "MB":
		return n
	case "kB":
		return n >> 10
	case "GB":
		return n << 10
	case "TB":
		return n << 20
	}
	return -1
}

func isBool(value string) bool {
	return slices.Contains([]string{"on", "off", "true", "false", "yes", "no", "0", "1"}, strings.ToLower(value))
}
