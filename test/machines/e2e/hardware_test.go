//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// hardware is what the machines of this run are.
var hardware interface {
	// up are arguments of the sandbox program.
	up() []string
	// use has a stack's machines boot from an image.
	use(a about, from image, o *engine.Options)
	names() ([]string, error)
	// do is exec, off, reboot, console or down.
	do(command, machine string, args ...string) (string, error)
	// images makes base volumes of these names.
	images(a about, names ...string) error
	// lose takes a machine away, with its disks.
	lose(s *engine.Stack, machine string) error
	patience() time.Duration
} = containers{}

// about is what a sandbox says of itself.
type about map[string]any

func (a about) of(key string) string { return fmt.Sprint(a[key]) }

// containers boot in seconds: nspawn machines, made by the fake libvirt plugin.
type containers struct{}

func (containers) up() []string { return []string{"up", "--nspawn-only"} }

func (containers) use(a about, from image, o *engine.Options) {
	o.Plugins = []engine.Plugin{engine.Quorum, engine.FakeLibvirt, engine.RealTLS}
	o.Inside = []string{program, "shell"} // so that the provider reaches the machines
	o.Env = map[string]string{"FAKE_MACHINES": "1", "FAKE_SANDBOX": program, "FAKE_ROOTFS": a.of(string(from))}
}

func (containers) names() (names []string, err error) {
	list, err := sandbox("machine", "list")
	for line := range strings.Lines(list) {
		if name, _, found := strings.Cut(line, "\t"); found {
			names = append(names, name)
		}
	}
	return names, err
}

func (containers) do(command, machine string, args ...string) (string, error) {
	return sandbox(append([]string{"machine", command, machine}, args...)...)
}

func (containers) images(about, ...string) error { return nil } // none is looked for

func (c containers) lose(s *engine.Stack, machine string) error {
	_, err := c.do("down", machine)
	s.World.RemoveAll(machine)
	return err
}

func (containers) patience() time.Duration { return 3 * time.Minute }

// virtual machines are made by the real libvirt plugin: they have a kernel,
// disks, the drive and a watchdog. QUORUM_MACHINES=virtual asks for them.
type virtual struct{ key string }

func init() {
	if os.Getenv("QUORUM_MACHINES") == "virtual" {
		hardware, platformSteps, dataSteps = &virtual{}, onVirtualMachines, onVirtualDisks
		members, absent = members[:1], members[1:] // as few as show the point
		lostStores, lostNodes = lostStores[:1], lostNodes[:1]
		changes = changes[:len(changes)-1] // a sick member is the same on any hardware
	}
}

func (*virtual) up() []string { return []string{"up"} }

func (v *virtual) use(a about, _ image, o *engine.Options) {
	o.Plugins = []engine.Plugin{engine.Quorum, engine.RealLibvirt, engine.RealTLS}
	o.Inside = []string{program, "shell"}
	v.key = a.of("sshKey")
	public, err := os.ReadFile(v.key + ".pub")
	if err != nil {
		panic(err)
	}
	for key, value := range map[string]string{
		"libvirt:uri": a.of("uri"), "pool": a.of("pool"), "baseVolume": a.of("baseVolume"), "domainType": a.of("domainType"),
		"vcpus": "1", "sshPublicKey": strings.TrimSpace(string(public)), "watchdogMode": "required",
	} {
		o.Config[key] = value
	}
}

func (*virtual) names() ([]string, error) {
	list, err := sandbox("shell", "virsh", "list", "--name")
	return strings.Fields(list), err
}

// addresses are those of the machines of the examples, of TestOpenStack and of TestSite.
var addresses = map[string]string{
	"etcd-1": "10.77.0.11", "etcd-2": "10.77.0.12", "etcd-3": "10.77.0.13", "etcd-4": "10.77.0.14", "etcd-5": "10.77.0.15",
	"etcd-23": "10.77.0.23", "dns-1": nameserver, loadBalancer: balancer, secondBalancer: "10.77.0.42",
	"postgres-1": "10.77.0.31", "postgres-2": "10.77.0.32", "postgres-3": "10.77.0.33",
	"store-1": "10.77.0.51", "store-2": "10.77.0.52", "store-3": "10.77.0.53", "source-1": "10.77.0.54", "source-2": "10.77.0.55", "source-lb": "10.77.0.56",
	"instance-1": "10.77.0.181", "instance-2": "10.77.0.182", "instance-3": "10.77.0.183",
}

func (v *virtual) do(command, machine string, args ...string) (string, error) {
	switch command {
	case "exec":
		remote := "sudo"
		for _, arg := range args {
			remote += " '" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		return sandbox("shell", "timeout", "120", "ssh", "-i", v.key, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
			"-o", "LogLevel=ERROR", "-o", "ConnectTimeout=20", "ubuntu@"+addresses[machine], remote)
	case "off":
		return sandbox("shell", "virsh", "destroy", machine)
	case "reboot":
		return sandbox("shell", "virsh", "start", machine)
	case "console": // what it writes from now on
		return sandbox("shell", "sh", "-c", `timeout 5 cat "$(virsh ttyconsole "$0")" || true`, machine)
	default: // down: they go with the sandbox
		return "", nil
	}
}

func (*virtual) images(a about, names ...string) error {
	for _, name := range names {
		if _, err := sandbox("shell", "virsh", "vol-clone", "--pool", a.of("pool"), a.of("baseVolume"), name+".qcow2"); err != nil {
			return err
		}
	}
	return nil
}

func (*virtual) lose(_ *engine.Stack, machine string) error {
	const script = `disks=$(virsh domblklist --details "$0" | awk '$2 == "disk" {print $4}') && test -n "$disks" &&
		virsh destroy "$0" && virsh undefine "$0" && for disk in $disks; do virsh vol-delete --pool quorum "$disk"; done`
	_, err := sandbox("shell", "sh", "-c", script, machine)
	return err
}

func (*virtual) patience() time.Duration { return 15 * time.Minute }
