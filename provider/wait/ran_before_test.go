package wait

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestSaysThatAMachineRanBefore has one that is frozen, of which it would be untrue that a first boot takes its time, and
// one that is new.
func TestSaysThatAMachineRanBefore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		silent  string
		machine []Machine
		lines   []string
		hint    string
	}{
		"frozen": {"no answer in time", []Machine{{Name: "etcd-1", IP: "10.0.0.11", Port: 2379, RanBefore: true}}, []string{
			"0 etcd-1: does not answer: no answer in time (it ran before)",
			"60 etcd-1: does not answer: no answer in time (1 min; it ran before)",
		}, `Nothing has answered for 2 minutes at etcd-1, 10.0.0.11, ports 2379 and 9100 (no answer in time; it ran before).
Look at the console: on libvirt, on the hypervisor, ` + "`virsh domstate etcd-1` and `virsh console etcd-1`; on OpenStack `openstack console log show etcd-1`" + `.
Usual causes: it is off, or did not boot again, or panicked; it hangs (` + "`virsh reset etcd-1`, or `openstack server reboot --hard etcd-1`" + `); its host, or the network between here and it, is down; a firewall, or a security group on OpenStack, between here and these ports; another machine has its address.`},
		"refuses": {refused, []Machine{{Name: "etcd-1", IP: "10.0.0.11", Port: 2379, RanBefore: true}}, []string{
			"0 etcd-1: does not answer: connection refused (it ran before)",
			"60 etcd-1: does not answer: connection refused (1 min; it ran before)",
		}, "connection refused: it runs, and neither its service nor its node exporter does: `systemctl --failed` there says which units failed."},
		"one of two": {"no route to host", []Machine{{Name: "etcd-1", IP: "10.0.0.11", Port: 2379}, {Name: "etcd-2", IP: "10.0.0.12", Port: 2379, RanBefore: true}}, []string{
			"0 etcd-1: does not answer: no route to host (a first boot usually takes 2 to 4 min)",
			"0 etcd-2: does not answer: no route to host (it ran before); also for etcd-1",
			"60 etcd-1: does not answer: no route to host (1 min; a first boot usually takes 2 to 4 min)",
			"60 etcd-2: does not answer: no route to host (1 min; it ran before); also for etcd-1",
		}, "at etcd-1, 10.0.0.11, ports 2379 and 9100 (no route to host), etcd-2, 10.0.0.12, ports 2379 and 9100 (no route to host; it ran before); a first boot usually takes 2 to 4."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			missing := ""
			for _, m := range c.machine {
				missing += m.Name + ": " + c.silent + "\n"
			}
			var lines []string
			var hint string
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				w := world{limit: time.Hour, missing: until(119*time.Second, missing), tells: func(time.Duration, string) (string, string) { return "", c.silent }}
				watch := w.watch(begun, func(line string) { lines = append(lines, at(begun)+line) })
				watch.Machines = c.machine
				assert.NoError(t, watch.until(t.Context(), w.look(begun)))
				watch.sort(missing)
				time.Sleep(time.Until(begun.Add(2 * time.Minute)))
				hint = watch.hint(time.Minute)
			})
			assert.Equal(t, c.lines, lines)
			assert.Contains(t, hint, c.hint)
		})
	}
}

// at is how many seconds have passed since.
func at(begun time.Time) string { return fmt.Sprint(int(time.Since(begun).Seconds())) + " " }
