package host

import (
	"fmt"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
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

// defaultMakestep is Debian's and Ubuntu's.
var defaultMakestep = Makestep{Threshold: 1, Limit: 3}

// State is what chrony needs on the machine. It goes before the services that
// suffer when the clock steps.
func (c *Chrony) State() guest.State {
	var s guest.State
	if c == nil {
		return s
	}
	s.Packages = []guest.Package{{Name: "chrony", Provides: []string{"/usr/sbin/chronyd"}}}
	s.Files = []guest.File{guest.Public(chronyConf, c.conf())}
	s.Services = []guest.Service{{Name: "chrony.service", RestartOn: []string{chronyConf}, Timeout: secondsToStart}}
	return s
}

// conf keeps what the distribution's file has beside its sources, above all
// makestep: without it a clock that is wrong at boot is slewed for hours.
func (c *Chrony) conf() string {
	var b strings.Builder
	line := func(kind string, sources []TimeSource) {
		for _, t := range sources {
			fmt.Fprintln(&b, strings.Join(append([]string{kind, t.URL}, t.options()...), " "))
		}
	}
	line("server", c.Servers)
	line("pool", c.Pools)
	step := defaultMakestep
	if c.Makestep != nil {
		step = *c.Makestep
	}
	fmt.Fprintf(&b, "makestep %v %d\n", step.Threshold, step.Limit)
	b.WriteString(`keyfile /etc/chrony/chrony.keys
driftfile /var/lib/chrony/drift
ntsdumpdir /var/lib/chrony
maxupdateskew 100.0
rtcsync
`)
	return b.String()
}

// chronyOptions are those of a source. Later versions may have others; with one that it does not
// know, chrony does not start.
var chronyOptions = strings.Fields(`asymmetry auto_offline burst certset copy extfield filter iburst ipv4 ipv6 key
	maxdelay maxdelaydevratio maxdelayquant maxdelayratio maxpoll maxsamples maxsources maxunreach mindelay minpoll minsamples
	minstratum noselect nts ntsport offline offset polltarget port prefer presend require trust version xleave`)

// options are those given. With none, iburst has the clock right seconds after
// the boot, rather than after some polls of a minute each.
func (t TimeSource) options() []string {
	if t.Options == nil {
		return []string{"iburst"}
	}
	return t.Options
}
