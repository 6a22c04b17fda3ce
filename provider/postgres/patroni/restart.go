package patroni

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// TakenAtStart are those of some parameters, sorted, that PostgreSQL takes only when it starts: in
// any of its versions, if that is not known. Patroni brings those that it controls itself, as
// max_connections, into force in the same way.
func TakenAtStart(params map[string]string, version *string) (names []string) {
	from, to := oldest, newest
	if version != nil {
		if n, err := strconv.Atoi(*version); err == nil {
			from, to = min(n, newest), n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		own := strings.ToLower(name)
		if slices.ContainsFunc(parameterList()[cmp.Or(formerly[own], own)], func(k known) bool { return k.atStart && k.to >= from && k.from <= to }) {
			names = append(names, name)
		}
	}
	return names
}

// RestartCommand restarts PostgreSQL on all nodes that wait for it, one after the other.
func RestartCommand(scope string) string {
	return "sudo patronictl -c /etc/patroni/conf.yml restart --pending " + scope
}
