package host

import (
	_ "embed"
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

const (
	loginsConf    = "/etc/ssh/sshd_config.d/20-quorum-logins.conf"
	journalConf   = "/etc/systemd/journald.conf.d/20-quorum.conf"
	reloadService = "quorum-reload.service"
)

//go:embed start/quorum-reload.service
var reloadUnit string

// LoginsAndJournal have sshd let in one user (keys only is from the first boot on: see
// UserData), and logs kept over reboots. A unit of their own has both daemons read that: a
// service of the state is stopped when a state is rolled back, and services that log to a
// journald that was stopped end with SIGPIPE.
func LoginsAndJournal(user string) guest.State {
	return guest.State{
		Files: []guest.File{
			guest.Public(loginsConf, fmt.Sprintf("AllowUsers %s\nPermitRootLogin no\n", user)),
			guest.Public(journalConf, "[Journal]\nStorage=persistent\nSystemMaxUse=1G\n"),
			guest.Unit(reloadService, guest.Terse(reloadUnit)),
		},
		Services: []guest.Service{{
			Name: reloadService, Means: "sshd and journald read their configuration", RestartOn: []string{loginsConf, journalConf}, Timeout: secondsToStart,
		}},
	}
}
