// Package upgrade has the nodes of a cluster bring PostgreSQL's data to another
// major version, in place.
//
// A Config says which versions these are; State gives the program that does it on
// a machine. When it is done, and how far it is, stands among the settings of
// Patroni in etcd: gates of the cluster ask for it there. Nothing here talks to
// Pulumi or to a network.
package upgrade

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Config is what a node needs to know of an upgrade.
type Config struct {
	From, To string // major versions

	Conf, Node, API, CAFile, CertFile, KeyFile string // of Patroni
	User, Volume, DataDir                      string
	BackupConf, Stanza                         string // of pgBackRest; empty without backups
}

const (
	service     = "quorum-upgrade.service"
	program     = host.Library + "/quorum-upgrade"
	programConf = "/etc/patroni/upgrade.json"
	installed   = "/usr/lib/postgresql"

	secondsToRun = 60
)

//go:embed quorum_upgrade/*.py
var modules embed.FS

var programText = guest.Assemble(guest.Modules(modules, "quorum_upgrade"))

//go:embed quorum-upgrade.service
var unitText string

var unitTemplate = template.Must(template.New(service).Parse(unitText))

// HoldCommand waits while PostgreSQL must not start on the node, and says which version is to.
func HoldCommand() []string { return []string{program, "hold", programConf} }

// State is what the node needs on its machine for it.
func (c Config) State() (guest.State, error) {
	var s guest.State
	var unit strings.Builder
	if err := unitTemplate.Execute(&unit, map[string]string{"User": c.User, "Program": program, "Conf": programConf, "Volume": c.Volume}); err != nil {
		return s, fmt.Errorf("write %s: %w", service, err)
	}
	conf := map[string]any{
		"conf": c.Conf, "dataDir": c.DataDir, "installed": installed, "from": c.From, "to": c.To,
		"node": c.Node, "api": c.API, "caFile": c.CAFile, "certFile": c.CertFile, "keyFile": c.KeyFile, "backup": nil,
	}
	if c.Stanza != "" {
		conf["backup"] = map[string]string{"conf": c.BackupConf, "stanza": c.Stanza}
	}
	b, err := json.Marshal(conf)
	if err != nil {
		return s, fmt.Errorf("marshal %s: %w", programConf, err)
	}
	s.Files = []guest.File{
		guest.Public(programConf, string(b)+"\n"), // no secret is in it
		guest.Program(program, programText),
		guest.Unit(service, guest.Terse(unit.String())),
		host.Box{Unit: service, Writes: []string{c.Volume, "-/run/postgresql"}, GeneratesCode: true}.File(),
	}
	s.Services = []guest.Service{{
		Name: service, Means: "whether the node can be brought to another major version of PostgreSQL",
		RestartOn: []string{programConf, program}, Timeout: secondsToRun,
	}}
	return s, nil
}
