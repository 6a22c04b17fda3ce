package wait

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// longestBoot is for how long nothing answers at a machine until a hint is
// given: longer than a first boot takes, also on a slow host.
const longestBoot = 5 * time.Minute

// hint says where to look at machines where nothing has answered for at least a
// while, or is "".
func (w *watch) hint(atLeast time.Duration) string {
	var silent []string
	var first *Machine
	longest, refuses := time.Duration(0), false
	for _, m := range w.Machines {
		if of := w.all[m.Name]; of != nil && !of.nothing.IsZero() && len(of.lines) > 0 {
			longest = max(longest, time.Since(of.nothing))
		}
	}
	for i, m := range w.Machines {
		of := w.all[m.Name]
		if of == nil || len(of.lines) == 0 || of.nothing.IsZero() || time.Since(of.nothing) < atLeast {
			continue
		}
		if first == nil {
			first = &w.Machines[i]
		}
		refuses = refuses || of.silent == refused
		why := of.silent
		if took := minutes(time.Since(of.nothing)); took != minutes(longest) {
			why += ", for " + took + " minutes"
		}
		silent = append(silent, fmt.Sprintf("%s (%s)", m.place(), why))
	}
	if first == nil {
		return ""
	}
	text := fmt.Sprintf("Nothing has answered for %s minutes at %s; a first boot usually takes %s to %s.\n", minutes(longest), strings.Join(silent, ", "), minutes(usualBoot.least), minutes(usualBoot.most)) +
		fmt.Sprintf("Look at the console: on libvirt, on the hypervisor, `virsh domstate %[1]s` and `virsh console %[1]s`; on OpenStack `openstack console log show %[1]s`.\n", first.called()) +
		fmt.Sprintf("Usual causes: it is off, did not boot, or panicked; it hangs, if it ran before (`virsh reset %[1]s`, or `openstack server reboot --hard %[1]s`); its address, prefix, gateway or network is wrong, or no DHCP server answers; a firewall, or a security group on OpenStack, between here and these ports; an image without cloud-init.", first.called())
	if refuses {
		text += fmt.Sprintf("\n%s: it runs, and its first boot failed or still installs packages: `cloud-init status --long` there says which.", refused)
	}
	return text
}

const refused = "connection refused"

// isNew reports whether a hint names machines that no hint has named yet, and
// notes that it does now.
func (w *watch) isNew() (is bool) {
	for _, m := range w.Machines {
		of := w.all[m.Name]
		if !of.nothing.IsZero() && time.Since(of.nothing) >= longestBoot && !of.hinted {
			is, of.hinted = true, true
		}
	}
	return is
}

// place is where a machine was asked.
func (m Machine) place() string {
	name := ""
	if m.called() == m.Name {
		name = m.Name + ", "
	}
	return fmt.Sprintf("%s%s, ports %d and %d", name, m.IP, m.Port, ports.NodeExporter)
}

// called is the machine's name for its hypervisor, where that is known.
func (m Machine) called() string {
	_, noIP := netip.ParseAddr(m.Name)
	_, noAddress := netip.ParseAddrPort(m.Name)
	if noIP == nil || noAddress == nil {
		return "NAME"
	}
	return m.Name
}
