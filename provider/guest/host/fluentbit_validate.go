package host

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Warnings are of what is allowed, and seldom meant.
func (f *Fluentbit) Warnings() check.List {
	if f == nil || f.Forward == nil {
		return nil
	}
	return OnItself("forward.domain", f.Forward.Domain, "a receiver of logs")
}

// Validate returns what is wrong with f, at now, on a machine that writes logs and has such doors.
func (f Fluentbit) Validate(now time.Time, logs []Log, doors []Door) check.List {
	var l check.List
	if f.Forward == nil && f.DynamicConfig == nil {
		l.Add("forward", "is required, or dynamicConfig").Shape().Needing("dynamicConfig")
	}
	var names []string
	for _, log := range logs {
		names = append(names, log.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Tags)) {
		path := check.Join("tags", name)
		if !slices.Contains(names, name) {
			l.Add(path, "is not a service of this machine, which has %s", check.Or(names))
		}
		l.Check(path, word(f.Tags[name]))
	}
	if f.Forward != nil {
		l.Under("forward", f.Forward.validate())
	}
	if f.Metrics != nil {
		port := ptr.Value(f.Metrics.Port)
		l.Check("metrics.port", check.Port(port))
		for _, d := range doors {
			if d.Port == port {
				l.Add("metrics.port", "must not be %d, the port of the machine's service %s", port, d.Service)
				break
			}
		}
	}
	if f.Buffer != nil {
		l.Under("buffer", f.Buffer.validate())
	}
	if f.DynamicConfig != nil {
		l.Under("dynamicConfig.etcd", f.DynamicConfig.Etcd.Validate(now))
		if !slices.ContainsFunc(doors, func(d Door) bool { return d.Port == ports.EtcdClient }) {
			l.Under("", f.DynamicConfig.Etcd.Elsewhere("dynamicConfig.etcd", nil))
		}
		l.Check("dynamicConfig.keyPrefix", check.KeyPrefix(f.DynamicConfig.KeyPrefix))
	}
	return l
}

func (f Forward) validate() check.List {
	var l check.List
	l.Check("domain", machine(f.Domain))
	l.Check("port", check.Port(f.Port))
	if f.Hostname != nil {
		l.Check("hostname", word(*f.Hostname))
	}
	// Fluent Bit's file has no quotes, and replaces ${NAME} in values.
	if f.SharedKey == "" || strings.TrimSpace(f.SharedKey) != f.SharedKey || strings.ContainsAny(f.SharedKey, "\r\n") || strings.Contains(f.SharedKey, "${") {
		l.Add("sharedKey", "must be one line that neither begins nor ends with white space, and without ${")
	}
	_, reason := check.Certificates(f.CACert)
	l.Check("caCert", reason)
	return l
}

func (b Buffer) validate() check.List {
	var l check.List
	l.Check("memBufLimit", size(ptr.Value(b.MemBufLimit)))
	if b.StorageTotalLimitSize != nil {
		l.Check("storageTotalLimitSize", size(*b.StorageTotalLimitSize))
		if ptr.Value(b.StorageType) != Filesystem {
			l.Add("storageTotalLimitSize", "requires storageType: filesystem").Needing("storageType")
		}
	}
	if b.RetryLimit != nil {
		l.Check("retryLimit", check.Positive(*b.RetryLimit))
	}
	return l
}

// word requires what Fluent Bit's file takes as one word.
func word(s string) string {
	if !check.Matches(`[-A-Za-z0-9_.]+`, s) {
		return "must consist of A-Z, a-z, 0-9, _, - and ., not " + check.Quote(s)
	}
	return ""
}

// leastBuffer is what Fluent Bit reads at once.
const leastBuffer = 32 << 10

// size requires a size as Fluent Bit writes it: bytes, if it has no unit.
func size(s string) string {
	number := strings.TrimRight(s, "KkMmGgBb")
	n, err := strconv.ParseFloat(number, 64)
	unit := s[len(number):]
	if err != nil || !check.Matches(`[0-9]+(\.[0-9]+)?([KkMmGg][Bb]?)?`, s) {
		return "must be a size like 10MB, not " + check.Quote(s)
	}
	for i, letter := range []string{"K", "M", "G"} {
		if strings.HasPrefix(strings.ToUpper(unit), letter) {
			n *= float64(int(1) << (10 * (i + 1)))
		}
	}
	switch {
	case n >= leastBuffer:
		return ""
	case unit == "" && n > 0:
		return "must be a size of 32KB or more, like 10MB, not " + check.Quote(s) + ": bytes, without a unit. MB was meant?"
	}
	return "must be a size of 32KB or more, like 10MB, not " + check.Quote(s)
}
