package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// machines boots domains as systemd-nspawn machines, through the sandbox.
type machines struct {
	sandbox, rootfs string
	state           string // directory of the sandbox
	world           hypervisor.World
}

func (m *machines) up(c call, disk props, interfaces []any) error {
	seed, err := m.seed(c, disk)
	if err != nil {
		return err
	}
	if len(interfaces) == 0 {
		return fmt.Errorf("machine %s has no network interface", c.name)
	}
	nic, _ := interfaces[0].(map[string]any)
	args := []string{"up", c.name, m.rootfs, seed, strings.ToLower(props(nic).text("mac"))}
	labels, err := diskLabels(disk.text("userData"))
	if err != nil {
		return err
	}
	if err := m.attach(c, labels); err != nil {
		return err
	}
	for _, label := range labels {
		args = append(args, "--disk", label)
	}
	return m.run(args...)
}

func (m *machines) reseed(c call, disk props) error {
	seed, err := m.seed(c, disk)
	if err != nil {
		return err
	}
	return m.run("reseed", c.name, seed)
}

func (m *machines) down(c call) error {
	if err := m.run("down", c.name, "--keep-disk"); err != nil {
		return err
	}
	return os.RemoveAll(m.world.SeedDir(c.name))
}

// seed writes the files of a NoCloud data source.
func (m *machines) seed(c call, disk props) (string, error) {
	dir := m.world.SeedDir(c.name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for file, key := range map[string]string{
		"user-data": "userData", "meta-data": "metaData", "network-config": "networkConfig",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(disk.text(key)), 0o600); err != nil {
			return "", err
		}
	}
	return filepath.Abs(dir)
}

func (m *machines) run(args ...string) error {
	if m.sandbox == "" || m.rootfs == "" {
		return fmt.Errorf("FAKE_MACHINES needs FAKE_SANDBOX and FAKE_ROOTFS")
	}
	output, err := exec.Command(m.sandbox, append([]string{"machine"}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("sandbox machine %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}
