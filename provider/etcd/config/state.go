package config

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

const (
	Service        = "etcd.service"
	joinProgram    = "/usr/local/lib/quorum/etcd-join"
	recoverProgram = "/usr/local/lib/quorum/etcd-recover"
	recoverUnit    = "/etc/systemd/system/etcd.service.d/recover.conf"
	runConf        = "/run/etcd/conf.yml" // what etcd-join has etcd start with
	authService    = "etcd-auth.service"
	authProgram    = "/usr/local/lib/quorum/etcd-auth"
	password       = "/etc/etcd/root-password"

	// A member serves when a quorum of them has started, which may need
	// several machines to install their packages first.
	secondsToServe = 900
	// One that restores data first takes as long as there are data.
	secondsToRestore = 24 * 3600
)

//go:embed etcd.service
var unit string

//go:embed join/etcd-join
var join string

//go:embed join/etcd-recover
var recoverText string

//go:embed etcd-auth
var auth string

//go:embed etcd-auth.service
var authUnit string

var data = host.Data{User: "etcd", Volume: DataVolume, Directory: dataDir}

// State is what the member needs on its machine, all but Bootstrap.
func (c Config) State() (guest.State, error) {
	var s guest.State
	directory := c.software(&s)
	s.Users = []guest.User{{Name: "etcd", Home: DataVolume}}
	s.Directories = []guest.Directory{
		{Path: "/etc/etcd/tls", Owner: "root", Group: "etcd", Mode: "0750"},
		{Path: DataVolume, Owner: "etcd", Group: "etcd", Mode: c.volumeMode()},
		{Path: dataDir, Owner: "etcd", Group: "etcd", Mode: "0700"},
	}
	whole, lasting, err := c.conf()
	if err != nil {
		return s, err
	}
	unit, err := fill(unit, directory)
	if err != nil {
		return s, err
	}
	s.Files = []guest.File{
		guest.Public(caFile, c.TLS.CACert),
		guest.Public(certFile, chain(c.TLS.ServerCert, c.TLS.CACert)),
		guest.Private(keyFile, "etcd", c.TLS.ServerKey),
		guest.Private(confFile, "etcd", whole),
		guest.Program(joinProgram, join),
		guest.Program(recoverProgram, recoverText), // also for who runs it by hand
		guest.Unit(Service, unit),
		host.Box{Unit: Service, Writes: []string{DataVolume}, OOMScore: -800}.File(),
	}
	s.Files = append(append(s.Files, data.Files()...), host.ClockFiles()...)
	s.Services = []guest.Service{{
		Name:       Service,
		RestartOn:  []string{caFile}, // the leaf and its key etcd reads again for each connection
		RestartKey: guest.Hash(lasting, c.release()),
		Check:      c.health(),
		Timeout:    c.secondsToStart(),
	}}
	backups, err := c.backups(directory).State()
	if err != nil {
		return s, err
	}
	s.Add(backups)
	if c.Recovery != "" {
		c.recover(&s, directory)
	}
	return s, nil
}

// backups are those of the cluster.
func (c Config) backups(directory string) backup.Config {
	b := c.Backups
	b.User, b.Volume, b.Conf, b.Programs = "etcd", DataVolume, confFile, directory
	return b
}

// volumeMode lets node exporter read what quorum-backup tells.
func (c Config) volumeMode() string {
	if c.hasBackups() {
		return "0711"
	}
	return "0700"
}

func (c Config) secondsToStart() int {
	if c.Backups.Restore != nil {
		return secondsToRestore
	}
	return secondsToServe
}

// recover has the member found its cluster again from its data before etcd
// starts. Another id of a recovery restarts etcd.
func (c Config) recover(s *guest.State, directory string) {
	s.Files = append(s.Files, guest.Public(recoverUnit,
		fmt.Sprintf("[Service]\nExecStartPre=%s %s %s %s/etcd\n", recoverProgram, c.Recovery, runConf, directory)))
	s.Services[0].RestartOn = append(s.Services[0].RestartOn, recoverUnit)
}

// Bootstrap is what makes the user root and turns authentication on. It waits
// for a quorum, so it comes after all else.
func (c Config) Bootstrap() guest.State {
	var s guest.State
	if !c.bootstrap() {
		return s
	}
	// It reads the keys of etcd and root's password, and notes which one root has.
	box := host.Box{Unit: authService, Writes: []string{"/var/lib/quorum"}, Capabilities: []string{"CAP_DAC_READ_SEARCH"}}
	s.Files = []guest.File{guest.Program(authProgram, auth), guest.Unit(authService, authUnit), box.File()}
	if !c.certAuth() {
		s.Files = append(s.Files, guest.Private(password, "root", *c.Auth.RootPassword+"\n"))
	}
	s.Services = []guest.Service{{
		Name:      authService,
		Means:     "the running cluster takes its authentication",
		RestartOn: []string{authProgram, password},
		Timeout:   secondsToServe,
	}}
	return s
}

// health is how etcd says that it serves. A full database is no reason to put
// back what was there before: a larger quota is what mends it. Before 3.4.16
// etcd takes no notice of exclude.
func (c Config) health() *guest.Check {
	check := &guest.Check{URL: url(loopback, ports.EtcdClient) + "/health?exclude=NOSPACE", CAFile: caFile, Contains: `"health":"true"`}
	if c.certAuth() {
		check.CertFile, check.KeyFile = certFile, keyFile
	}
	return check
}

// chain is what etcd presents: the certificate, and the authority's for
// clients that want it. A certificate that comes with its chain stays as it is.
func chain(cert, ca string) string {
	if strings.Contains(cert, strings.TrimSpace(ca)) {
		return cert
	}
	return strings.TrimSuffix(cert, "\n") + "\n" + ca
}

func fill(text, directory string) (string, error) {
	var b strings.Builder
	err := template.Must(template.New("unit").Parse(text)).Execute(&b, struct{ Directory, Data, Own, Clock, Join, Conf string }{
		directory, DataVolume, data.OwnLine(), host.ClockUnit, joinProgram, confFile,
	})
	if err != nil {
		return "", fmt.Errorf("write %s: %w", Service, err)
	}
	return b.String(), nil
}
