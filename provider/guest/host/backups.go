package host

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// Backups have quorum-backup look every few minutes whether a backup, or a drill, is due. Where there are
// none, node exporter is shown how a restore goes.
type Backups struct {
	Of, Documentation string   // what is backed up, and where to read on
	After             string   // unit that runs it, if it is to be up before
	User              string   // who makes the backups
	Directory         string   // on the data volume, for what is kept of them there
	Schedules         []string // none where the machine has a restore only, of which it tells how it goes
	RestartOn         []string // files, beside the program's own configuration
	Restores          bool     // whether the machine may restore a backup when it comes to be
	GeneratesCode     bool     // as just-in-time compilers do
}

// Where quorum-backup has what it needs on a machine.
const (
	BackupDirectory = "/etc/quorum-backup"
	BackupConf      = BackupDirectory + "/backup.json"
	BackupProgram   = Library + "/quorum-backup"

	// Library has the programs of this package on a machine.
	Library = "/usr/local/lib/quorum"

	backupService = "quorum-backup.service"
	backupTimer   = "quorum-backup.timer"
)

//go:embed backup/*
var backupUnits embed.FS

var backupTemplates = template.Must(template.ParseFS(backupUnits, "backup/*"))

// Program and Conf are where quorum-backup and its configuration are.
func (Backups) Program() string { return BackupProgram }
func (Backups) Conf() string    { return BackupConf }

// Add adds the timer to s, and what it starts.
func (b Backups) Add(s *guest.State) error {
	for _, name := range []string{backupService, backupTimer} {
		var text strings.Builder
		if err := backupTemplates.ExecuteTemplate(&text, name, b); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		s.Files = append(s.Files, guest.Unit(name, guest.Terse(text.String())))
	}
	s.Files = append(s.Files, Box{Unit: backupService, Writes: []string{b.Directory}, GeneratesCode: b.GeneratesCode}.File())
	timer := guest.Service{
		Name:      backupTimer,
		Means:     guest.BackupsFollow,
		RestartOn: append([]string{BackupConf}, b.RestartOn...),
		Timeout:   secondsToStart,
	}
	if len(b.Schedules) > 0 {
		timer.Verify = append([]string{"systemd-analyze", "calendar"}, b.Schedules...)
	}
	s.Services = append(s.Services, timer)
	return nil
}
