package wait

import (
	"context"
	"net"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// Machine is one that a wait is for, and the port of its service. RanBefore is that its service is known to have
// run on this very machine, which therefore is not in its first boot.
type Machine struct {
	Name, IP  string
	Port      int
	RanBefore bool
}

// watch shows what a wait is for: a line for each machine when it changes, and
// else at most once in a while, with how long that has taken.
type watch struct {
	For
	ask func(ctx context.Context, ip string) (stage, silent string)

	all    map[string]*waited // by name; "" is what is missing of no machine
	latest string             // whose line was shown last
}

// askEvery is how often a machine is asked whose service does not answer.
const askEvery = 10 * time.Second

// show says what has changed, a line for each machine. The last one names the
// other machines: a terminal shows no more than that.
func (w *watch) show(ctx context.Context, missing string) {
	w.sort(missing)
	w.askSilent(ctx)
	var names, due []string
	for _, name := range w.names() {
		of := w.all[name]
		if len(of.lines) == 0 {
			of.kind = ""
			continue
		}
		names = append(names, name)
		if of.isDue() {
			due = append(due, name)
		}
	}
	if len(names) > 1 && names[0] == "" && !w.all[""].isNew { // the machines say how long
		due = slices.DeleteFunc(due, func(name string) bool { return name == "" })
	}
	if len(due) == 0 && len(names) > 0 && !slices.Contains(names, w.latest) { // what is shown is over
		due = names[len(names)-1:]
	}
	for i, name := range due {
		line := w.all[name].line(name, w.ranBefore(name))
		if i == len(due)-1 {
			line += also(names, name)
		}
		w.latest = name
		w.say(ctx, line)
	}
	if text := w.hint(longestBoot); text != "" && w.Say == nil && w.isNew() {
		p.GetLogger(ctx).Warning(text)
	}
}

func (w *watch) say(ctx context.Context, line string) {
	if w.Say != nil {
		w.Say(line)
		return
	}
	p.GetLogger(ctx).InfoStatus("waiting: " + line)
}

// ranBefore reports whether all machines with a name did, of which there may be none.
func (w *watch) ranBefore(name string) bool {
	others := slices.DeleteFunc(slices.Clone(w.Machines), func(m Machine) bool { return m.Name != name })
	return len(others) > 0 && !slices.ContainsFunc(others, func(m Machine) bool { return !m.RanBefore })
}

// names are those of which something may be missing, in the program's order.
func (w *watch) names() []string {
	names := []string{""}
	for _, m := range w.Machines {
		if !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// sort gives each line that is missing to the machine that it is of.
func (w *watch) sort(missing string) {
	if w.all == nil {
		w.all = map[string]*waited{}
	}
	for _, name := range w.names() {
		if w.all[name] == nil {
			w.all[name] = &waited{kinds: map[string]seen{}}
		}
		w.all[name].lines = nil
	}
	for line := range strings.SplitSeq(missing, "\n") {
		name, text := w.of(line)
		of, has := w.all[name]
		if !has {
			of = w.all[""]
		}
		if text != "" && !slices.Contains(of.lines, text) {
			of.lines = append(of.lines, text)
		}
	}
}

// of is the machine that a line is of, which it names first, or its address, and
// what it says of it.
func (w *watch) of(line string) (name, text string) {
	for _, m := range w.Machines {
		for _, end := range []string{": ", " "} {
			if text, is := strings.CutPrefix(line, m.Name+end); is && text != "" {
				return m.Name, text
			}
		}
	}
	address, text, _ := strings.Cut(line, ": ")
	ip, _, err := net.SplitHostPort(address)
	for _, m := range w.Machines {
		if err == nil && ip == m.IP && text != "" {
			return m.Name, text
		}
	}
	return w.Of, line
}

// askSilent asks each machine whose service does not answer how far it is.
func (w *watch) askSilent(ctx context.Context) {
	var group fault.Group
	for _, m := range w.Machines {
		of := w.all[m.Name]
		if !noAnswer.MatchString(strings.Join(of.lines, "\n")) {
			of.stage, of.silent, of.nothing, of.asked = "", "", time.Time{}, time.Time{}
			continue
		}
		if time.Since(of.asked) < askEvery {
			continue
		}
		of.asked = time.Now()
		group.Go(func() {
			of.stage, of.silent = w.ask(ctx, m.IP)
			switch {
			case of.silent == "":
				of.nothing = time.Time{}
			case of.nothing.IsZero():
				of.nothing = of.asked
			}
		})
	}
	group.Wait()
}

// also names the other machines that are waited for.
func also(names []string, shown string) string {
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" || name == shown })
	if len(others) == 0 {
		return ""
	}
	return "; also for " + strings.Join(others, ", ")
}
