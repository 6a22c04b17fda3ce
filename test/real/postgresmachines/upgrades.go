package postgresmachines

import (
	_ "embed" // of systemd
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Machines with quorum-upgrade run it: an upgrade is made by the nodes' own programs. PostgreSQL is installed in one version
// only, which plays both.

//go:embed systemd.py
var systemd string

const (
	upgradeProgram = host.Library + "/quorum-upgrade"
	upgradeConf    = "upgrade.json"
)

// Majors are the version of PostgreSQL that is installed, and the one before.
func Majors() (before, installed string) {
	programs, _ := filepath.Glob(postgresPrograms)
	installed = filepath.Base(filepath.Dir(programs[len(programs)-1]))
	n, _ := strconv.Atoi(installed)
	return strconv.Itoa(n - 1), installed
}

// HoldUpgrade keeps pg_upgrade from beginning on all machines that run, or lets it.
func (p *Machines) HoldUpgrade(held bool) {
	p.Lock()
	defer p.Unlock()
	for name := range p.Running {
		path := filepath.Join(p.Dir, name, "held")
		err := os.Remove(path)
		if held {
			err = os.WriteFile(path, nil, 0o600)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			require.NoError(p.T, err)
		}
	}
}

// Keep are the machines that have data of a version beside theirs.
func (p *Machines) Keep(major string) (names []string) {
	p.Lock()
	defer p.Unlock()
	for name, m := range p.Running {
		if _, err := os.Stat(filepath.Join(m.Data, "data-"+major, "PG_VERSION")); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// withoutUpgrade has a machine forget an upgrade that its state does not have.
func (m *machine) withoutUpgrade(s guest.State) error {
	if slices.ContainsFunc(s.Files, func(f guest.File) bool { return filepath.Base(f.Path) == upgradeConf }) {
		return nil
	}
	if err := os.Remove(filepath.Join(m.dir, "etc", upgradeConf)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
