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
	longest, refuses, allRan := time.Duration(0), false, true
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
		refuses, allRan = refuses || of.silent == refused, allRan && m.RanBefore
		why := of.silent
		if took := minutes(time.Since(of.nothing)); took != minutes(longest) {
			why += ", for " + took + " minutes"
		}
		if m.RanBefore {
			why += "; " + ranBeforeText
		}
		silent = append(silent, fmt.Sprintf("%s (%s)", m.place(), why))
	}
	if first == nil {
		return ""
	}
	text := fmt.Sprintf("Nothing has answered for %s minutes at %s", minutes(longest), strings.Join(silent, ", "))
	if !allRan {
		text += fmt.Sprintf("; a first boot usually takes %s to %s", minutes(usualBoot.least), minutes(usualBoot.most))
	}
	text += fmt.Sprintf(".\nLook at the console: on libvirt, on the hypervisor, `virsh domstate %[1]s` and `virsh console %[1]s`; on OpenStack `openstack console log show %[1]s`.\n", first.called()) +
		causes(first.called(), allRan)
	if refuses {
		text += "\n" + refusing(allRan)
	}
	return text
}

// causes are the usual ones, the most frequent first. Machines that all ran before have booted from their images, with
// the addresses of the program.
func causes(name string, allRan bool) string {
	hangs := fmt.Sprintf("(`virsh reset %[1]s`, or `openstack server reboot --hard %[1]s`)", name)
	if allRan {
		return "Usual causes: it is off, or did not boot again, or panicked; it hangs " + hangs +
			"; its host, or the network between here and it, is down; a firewall, or a security group on OpenStack, between here and these ports; another machine has its address."
	}
	return "Usual causes: it is off, did not boot, or panicked; it hangs, if it ran before " + hangs +
		"; its address, prefix, gateway or network is wrong, or no DHCP server answers; a firewall, or a security group on OpenStack, between here and these ports; an image without cloud-init."
}

// refusing says what it means that a machine refuses connections.
func refusing(allRan bool) string {
	if allRan {
		return refused + ": it runs, and neither its service nor its node exporter does: `systemctl --failed` there says which units failed."
	}
	return refused + ": it runs, and its first boot failed or still installs packages: `cloud-init status --long` there says which."
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
