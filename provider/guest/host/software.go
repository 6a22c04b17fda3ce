package host

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Software says which day the packages of a machine are of, and whether others upgrade them in between.
type Software struct {
	AsOf            string `pulumi:"asOf"`
	SecurityUpdates *bool  `pulumi:"securityUpdates,optional"`
}

const (
	softwareService = "quorum-software.service"
	softwareProgram = programs + "quorum-software"
	softwareConf    = "/etc/quorum-software"
	upgradesConf    = "/etc/apt/apt.conf.d/99quorum-upgrades" // after those of the distribution and of unattended-upgrades
	needrestartConf = "/etc/needrestart/conf.d/90-quorum.conf"

	secondsToUpgrade = 7200 // much may have to be downloaded, and a machine starts again in between
)

var (
	//go:embed software/quorum_software/*.py
	softwareModules embed.FS
	softwareText    = guest.Assemble(guest.Modules(softwareModules, "software/quorum_software"))
	//go:embed software/quorum-software.service
	softwareUnit string
)

// State has the machine upgrade its packages once for each day that is given, before the services that come after this
// one start or change. In between none restarts by itself that is among those packages, which services of the machine run.
func (s *Software) State(packages []guest.Package) guest.State {
	if s == nil {
		return guest.State{}
	}
	day, err := check.ParseDay(s.AsOf)
	if err != nil {
		return guest.State{} // it is refused
	}
	state := guest.State{
		Files: []guest.File{
			guest.Program(softwareProgram, softwareText), guest.Unit(softwareService, guest.Terse(softwareUnit)),
			guest.Public(softwareConf, day.UTC().Format(time.RFC3339)+"\n"),
			guest.Public(upgradesConf, s.upgrades(packages)),
			guest.Public(needrestartConf, "$nrconf{restart} = 'l';\n"), // it lists what it would restart
		},
		Services: []guest.Service{{
			Name: softwareService, Means: guest.PatchDay, ReloadMeans: guest.UpgradesChange, RestartsOthers: true,
			RestartOn: []string{softwareConf}, ReloadOn: []string{upgradesConf, needrestartConf}, Timeout: secondsToUpgrade,
		}},
	}
	if ptr.Value(s.SecurityUpdates) {
		state.Packages = []guest.Package{{Name: "unattended-upgrades", Provides: []string{"/usr/bin/unattended-upgrade"}}}
	}
	return state
}

// upgrades is what apt does by itself: nothing, or to install security fixes of what no service of the machine runs.
func (s *Software) upgrades(packages []guest.Package) string {
	if !ptr.Value(s.SecurityUpdates) {
		return "APT::Periodic::Enable \"0\";\n"
	}
	var b strings.Builder
	b.WriteString(`APT::Periodic::Enable "1";
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "1";
Unattended-Upgrade::Automatic-Reboot "false";
Unattended-Upgrade::InstallOnShutdown "false";
#clear Unattended-Upgrade::Allowed-Origins;
#clear Unattended-Upgrade::Origins-Pattern;
Unattended-Upgrade::Origins-Pattern {
  "origin=Debian,codename=${distro_codename}-security";
  "origin=Ubuntu,archive=${distro_codename}-security";
};
Unattended-Upgrade::Package-Blacklist {
`)
	for _, p := range packages {
		fmt.Fprintf(&b, "  %q;\n", "^"+regexp.QuoteMeta(p.Name)+"$")
	}
	b.WriteString("};\n")
	return b.String()
}

// Validate returns what is wrong with s at now, on a machine that installs packages or does not.
func (s *Software) Validate(now time.Time, installs bool) check.List {
	var l check.List
	if s == nil {
		return nil
	}
	l.Check("asOf", check.DayPast(s.AsOf, now))
	if !installs {
		l.Add("", "must not be given with installDependencies: false, with which nothing is downloaded").Shape()
	}
	return l
}
