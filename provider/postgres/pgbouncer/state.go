package pgbouncer

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

const (
	// Service is the package's unit.
	Service = "pgbouncer.service"

	metricsService = "quorum-pgbouncer.service"

	directory  = "/etc/pgbouncer"
	confFile   = directory + "/pgbouncer.ini"
	hbaFile    = directory + "/hba.conf"
	serverCert = directory + "/server.crt"
	serverKey  = directory + "/server.key" // a copy of its own: that of PostgreSQL is among Patroni's secrets
	run        = "/run/pgbouncer"
	program    = host.Library + "/quorum-pgbouncer"
	metrics    = "/var/lib/prometheus/node-exporter/quorum-pgbouncer.prom"

	secondsToStart = 60
)

//go:embed quorum-pgbouncer
var programText string

//go:embed pgbouncer.ini pgbouncer.conf *.service
var texts embed.FS

var templates = template.Must(template.ParseFS(texts, "*"))

// State is what PgBouncer needs on the machine.
func (c Config) State() (guest.State, error) {
	text := map[string]string{}
	for _, name := range []string{"pgbouncer.ini", "pgbouncer.conf", metricsService} {
		filled, err := c.fill(name)
		if err != nil {
			return guest.State{}, err
		}
		text[name] = filled
	}
	return guest.State{
		Packages: []guest.Package{
			{Name: "pgbouncer", Provides: []string{"/usr/sbin/pgbouncer"}},
		},
		Users:       []guest.User{{Name: User, Home: "/nonexistent"}},
		Directories: []guest.Directory{{Path: directory, Owner: "root", Group: "root", Mode: "0755"}},
		Files: []guest.File{
			guest.Public(confFile, text["pgbouncer.ini"]),
			guest.Public(hbaFile, strings.Join(c.Rules, "\n")+"\n"),
			guest.Public(serverCert, c.ServerCert),
			guest.Private(serverKey, User, c.ServerKey),
			guest.Program(program, guest.Terse(programText)),
			guest.Unit(Service+".d/quorum.conf", guest.Terse(text["pgbouncer.conf"])),
			host.Box{Unit: Service}.File(),
			guest.Unit(metricsService, guest.Terse(text[metricsService])),
			host.Box{Unit: metricsService}.File(),
		},
		Services: []guest.Service{
			{
				Name: Service, RestartKey: guest.Hash(strconv.Itoa(*c.Pooler.Port)), ReloadOn: []string{confFile, hbaFile, serverCert, serverKey},
				Timeout: secondsToStart,
			},
			{
				Name: metricsService, Means: "node exporter is shown the metrics of PgBouncer", RestartOn: []string{program},
				RestartKey: guest.Hash(strconv.Itoa(*c.Pooler.Port)), Timeout: secondsToStart,
			},
		},
	}, nil
}

func (c Config) fill(name string) (string, error) {
	var b strings.Builder
	err := templates.ExecuteTemplate(&b, name, map[string]any{
		"IP": c.IP, "Port": *c.Pooler.Port, "Mode": *c.Pooler.PoolMode, "Clients": *c.Pooler.MaxClientConnections, "Size": *c.Pooler.PoolSize,
		"Postgres": ports.Postgres, "User": User, "Run": run, "Program": program, "Metrics": metrics,
		"Cert": serverCert, "Key": serverKey, "HBA": hbaFile,
	})
	if err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return b.String(), nil
}
