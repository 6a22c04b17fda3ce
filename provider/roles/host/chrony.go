package host

import (
	"fmt"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/state"
)

// Chrony is where the machine gets its time from.
type Chrony struct {
	Servers  []TimeSource `pulumi:"servers,optional"`
	Pools    []TimeSource `pulumi:"pools,optional"`
	Makestep *Makestep    `pulumi:"makestep,optional"`
}

// TimeSource is a server or a pool, and chrony's options for it.
type TimeSource struct {
	URL     string   `pulumi:"url"`
	Options []string `pulumi:"options,optional"`
}

// Makestep says when the clock is set at once rather than slewed.
type Makestep struct {
	Threshold float64 `pulumi:"threshold"`
	Limit     int     `pulumi:"limit"`
}

const chronyConf = "/etc/chrony/chrony.conf"

// State is what chrony wants of the machine. It goes before the services that
// suffer when the clock steps.
func (c *Chrony) State() state.State {
	var s state.State
	if c == nil {
		return s
	}
	s.Packages = []state.Package{{Name: "chrony", Provides: []string{"/usr/sbin/chronyd"}}}
	s.Files = []state.File{state.Public(chronyConf, c.conf())}
	s.Services = []state.Service{{Name: "chrony.service", RestartOn: []string{chronyConf}, Timeout: secondsToStart}}
	return s
}

func (c *Chrony) conf() string {
	var b strings.Builder
	line := func(kind string, sources []TimeSource) {
		for _, t := range sources {
			fmt.Fprintln(&b, strings.Join(append([]string{kind, t.URL}, t.Options...), " "))
		}
	}
	line("server", c.Servers)
	line("pool", c.Pools)
	fmt.Fprintln(&b, "driftfile /var/lib/chrony/drift")
	if c.Makestep != nil {
		fmt.Fprintf(&b, "makestep %v %d\n", c.Makestep.Threshold, c.Makestep.Limit)
	}
	fmt.Fprintln(&b, "rtcsync")
	return b.String()
}
