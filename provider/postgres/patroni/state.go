package patroni

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/upgrade"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

const (
	service         = "patroni.service"
	settingsService = "patroni-settings.service"
	rulesService    = "patroni-rules.service"
	rulesTimer      = "patroni-rules.timer"
	watchdogService = "quorum-watchdog.service"
	moveService     = "quorum-former-data.service"
	watchdogDevice  = "/dev/watchdog"
	watchdogRule    = "/etc/udev/rules.d/73-quorum-watchdog.rules"
	program         = "/usr/local/lib/quorum/quorum-patroni"
	user            = "postgres"

	// A node is well when PostgreSQL runs. A new one waits for etcd and the
	// leader, which may install their packages first, and copies all data.
	secondsToRun     = 1800
	secondsToRestore = 3 * 24 * 3600 // much data, from afar
	secondsToTake    = 600           // settings, while the cluster may have no leader
	secondsToStop    = 300           // PostgreSQL may have much to write
	secondsToLoad    = 60            // the watchdog
)

//go:embed program/quorum-patroni
var programText string

//go:embed *.service *.timer
var units embed.FS

var templates = template.Must(template.ParseFS(units, "*.service", "*.timer"))

var data = host.Data{User: user, Volume: DataVolume, Directory: dataDir}

// State is what the node needs on its machine, all but Settings.
func (c Config) State() (guest.State, error) {
	var s guest.State
	c.software(&s)
	s.Users = []guest.User{{Name: user, Home: DataVolume}}
	s.Directories = []guest.Directory{
		{Path: directory, Owner: "root", Group: user, Mode: "0750"},
		{Path: tlsDirectory, Owner: "root", Group: user, Mode: "0750"},
		{Path: DataVolume, Owner: user, Group: user, Mode: "0755"},
		{Path: dataDir, Owner: user, Group: user, Mode: "0700"},
	}
	conf, err := c.conf()
	if err != nil {
		return s, err
	}
	unit, err := c.unit(service)
	if err != nil {
		return s, err
	}
	own, err := c.programConf()
	if err != nil {
		return s, err
	}
	certs := c.certificates()
	s.Files = append(certs,
		guest.Private(confFile, user, conf),
		guest.Private(programConf, user, own),
		guest.Program(program, programText),
		guest.Unit("postgresql.service", ""), // empty, so masked: it would start clusters of its own
	)
	if err := c.addWatchdog(&s); err != nil {
		return s, err
	}
	// PostgreSQL outlives Patroni. What programs users have it run, to archive or to compile, is not known.
	box := host.Box{Unit: service, GeneratesCode: true, Devices: c.hasWatchdog(), Outlived: true, OOMScore: -900}
	s.Files = append(s.Files, guest.Unit(service, unit), box.File(), host.Box{Unit: rulesService}.File())
	for _, name := range []string{rulesService, rulesTimer} {
		if unit, err = c.unit(name); err != nil {
			return s, err
		}
		s.Files = append(s.Files, guest.Unit(name, guest.Terse(unit)))
	}
	s.Files = append(append(s.Files, data.Files()...), host.ClockFiles()...)
	patroni := guest.Service{
		Name:       service,
		RestartOn:  []string{caFile, etcdCA}, // read at the start only
		ReloadOn:   []string{confFile},
		RestartKey: c.lasting(),
		Verify:     []string{program, "validate", programConf},
		Check: &guest.Check{
			URL: c.api() + "/health", CAFile: caFile, CertFile: clientCert, KeyFile: clientKey, Contains: `"state": "running"`,
		},
		Timeout: secondsToRun,
	}
	if c.Restore != nil || c.Standby != nil {
		patroni.Timeout = secondsToRestore
	}
	for _, file := range certs {
		if file.Path != caFile && file.Path != etcdCA {
			patroni.ReloadOn = append(patroni.ReloadOn, file.Path)
		}
	}
	if c.Joins { // else the service that has the cluster take its settings looks at it
		patroni.ReloadOn = append(patroni.ReloadOn, programConf)
	}
	backups, err := c.backups().State()
	if err != nil {
		return s, err
	}
	s.Add(backups)
	if err := c.addMove(&s); err != nil {
		return s, err
	}
	s.Services = append(s.Services, patroni) // after what tells of a restore
	return s, c.addUpgrade(&s)
}

// addUpgrade adds what brings the data to another major version, where one is asked for.
func (c Config) addUpgrade(s *guest.State) error {
	if c.From == "" {
		return nil
	}
	u := upgrade.Config{
		From: c.From, To: c.version(), Conf: confFile, Node: c.node(), API: c.api(), CAFile: caFile, CertFile: clientCert, KeyFile: clientKey,
		User: user, Volume: DataVolume, DataDir: dataDir,
	}
	if c.Backup != nil {
		u.BackupConf, u.Stanza = c.backups().Conf(), *c.Backup.Stanza
	}
	more, err := u.State()
	s.Add(more)
	return err
}

// backups are what the node has to do with them.
func (c Config) backups() backup.Config {
	return backup.Config{
		Backup: c.Backup, Restore: c.Restore, Follows: c.follows(), Streams: c.Standby != nil && len(c.Standby.Endpoints) > 0, Node: c.node(), API: c.api(), CAFile: caFile, CertFile: clientCert, KeyFile: clientKey,
		User: user, Volume: DataVolume, DataDir: dataDir,
		// Two of one scope in one etcd are one cluster. Addresses of etcd may be the same at two places, but not with the same authority.
		Cluster: guest.Hash(append([]string{c.Patroni.Scope, ptr.Value(c.Patroni.Namespace), c.TLS.CACert}, slices.Sorted(slices.Values(c.Etcd.Endpoints))...)...)[:8],
	}
}

// Settings is what has the running cluster take its settings. It comes after
// all else: a node whose other changes fail leaves the cluster as it is.
func (c Config) Settings() (guest.State, error) {
	var s guest.State
	if c.Joins {
		return s, nil
	}
	unit, err := c.unit(settingsService)
	if err != nil {
		return s, err
	}
	s.Files = []guest.File{guest.Unit(settingsService, guest.Terse(unit)), host.Box{Unit: settingsService}.File()}
	s.Services = []guest.Service{{
		Name:      settingsService,
		Means:     "the running cluster takes its settings and passwords",
		RestartOn: []string{programConf},
		Verify:    []string{"runuser", "-u", user, "--", program, "check", programConf},
		Timeout:   secondsToTake + 60,
	}}
	return s, nil
}

func (c Config) certificates() []guest.File {
	files := []guest.File{
		guest.Public(caFile, c.TLS.CACert),
		guest.Public(serverCert, c.TLS.ServerCert),
		guest.Private(serverKey, user, c.TLS.ServerKey),
		guest.Public(clientCert, c.TLS.ClientCert),
		guest.Private(clientKey, user, c.TLS.ClientKey),
		guest.Public(etcdCA, c.Etcd.CACert),
	}
	if c.Etcd.ClientCert != nil {
		files = append(files, guest.Public(etcdCert, *c.Etcd.ClientCert), guest.Private(etcdKey, user, *c.Etcd.ClientKey))
	}
	return files
}

// lasting is what Patroni looks at only when it starts.
func (c Config) lasting() string {
	return guest.Hash(append([]string{c.before(), c.Patroni.Scope, *c.Patroni.Namespace, c.node(), fmt.Sprint(c.Etcd.ClientCert != nil)},
		append(c.archives(), c.Etcd.Endpoints...)...)...)
}

// archives is whether PostgreSQL archives its WAL, which it begins and ends only when it is started.
func (c Config) archives() []string {
	if c.Backup == nil {
		return nil // as it was before there were backups
	}
	return []string{"archives"}
}

func (c Config) addWatchdog(s *guest.State) error {
	if !c.hasWatchdog() {
		return nil
	}
	unit, err := c.unit(watchdogService)
	if err != nil {
		return err
	}
	rule := fmt.Sprintf("KERNEL==\"watchdog\", OWNER=\"%s\", GROUP=\"%s\", MODE=\"0600\"\n", user, user)
	s.Files = append(s.Files, guest.Public(watchdogRule, rule), guest.Unit(watchdogService, guest.Terse(unit)))
	s.Services = append(s.Services, guest.Service{Name: watchdogService, RestartOn: []string{watchdogRule}, Timeout: secondsToLoad})
	return nil
}

func (c Config) hasWatchdog() bool { return *c.Patroni.WatchdogMode != Off }

func (c Config) api() string { return "https://" + ports.At(c.IPs[0], ports.Patroni) }

func (c Config) unit(name string) (string, error) {
	values := map[string]any{
		"Program": program, "Conf": programConf, "Own": data.OwnLine(), "Clock": host.ClockUnit, "Volume": DataVolume, "Version": ptr.Value(c.Postgres.Version), "Device": watchdogDevice,
		"StopSeconds": max(secondsToStop, *c.Patroni.PrimaryStopTimeout+30), "SettingsSeconds": secondsToTake + 30,
		"Watchdog": "",
	}
	if c.hasWatchdog() {
		values["Watchdog"] = " " + watchdogService
	}
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, values); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return b.String(), nil
}
