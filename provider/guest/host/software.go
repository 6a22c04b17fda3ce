package host

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
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
	//go:embed software/quorum-software-fresh.service
	freshUnit string
)

// State has the machine upgrade its packages once for each day that is given, before the services that come after this
// one start or change. In between none restarts by itself that is among those packages, which services of the machine run.
// A machine that is made anew for each change has no services yet, and is handed less: user data are bounded.
func (s *Software) State(packages []guest.Package, isMadeAnew bool) guest.State {
	if s == nil {
		return guest.State{}
	}
	day, err := check.ParseDay(s.AsOf)
	if err != nil {
		return guest.State{} // it is refused
	}
	moment := day.UTC().Format(time.RFC3339)
	service := guest.Service{
		Name: softwareService, Means: guest.PatchDay, ReloadMeans: guest.UpgradesChange, RestartsOthers: moment,
		RestartOn: []string{softwareConf}, ReloadOn: []string{upgradesConf, needrestartConf}, Timeout: secondsToUpgrade,
	}
	files := []guest.File{
		guest.Program(softwareProgram, softwareText), guest.Unit(softwareService, guest.Terse(softwareUnit)), guest.Public(softwareConf, moment+"\n"),
	}
	if isMadeAnew {
		files = []guest.File{guest.Unit(softwareService, strings.ReplaceAll(guest.Terse(freshUnit), "DAY", moment))}
		service.RestartOn = nil
	}
	files = append(files, guest.Public(upgradesConf, s.upgrades(packages)))
	if !isMadeAnew || ptr.Value(s.SecurityUpdates) {
		files = append(files, guest.Public(needrestartConf, "$nrconf{restart} = 'l';\n")) // it lists what it would restart
	}
	state := guest.State{Files: files, Services: []guest.Service{service}}
	if ptr.Value(s.SecurityUpdates) {
		state.Packages = []guest.Package{{Name: "unattended-upgrades", Provides: []string{"/usr/bin/unattended-upgrade"}}}
		state.Presets = []guest.File{guest.Public(autoUpgrades, noUpgrades)}
	}
	return state
}

// upgrades is what apt does by itself: nothing, or to install security fixes of what no service of the machine runs.
func (s *Software) upgrades(packages []guest.Package) string {
	if !ptr.Value(s.SecurityUpdates) {
		return "APT::Periodic::Enable \"0\";\n"
	}
	var names []string
	for _, p := range packages {
		name := regexp.QuoteMeta(p.Name)
		if strings.HasPrefix(name, "postgresql-") {
			name = "postgresql-.*" // and what it is made of
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf(securityUpdates, strings.Join(names, "|"))
}

// As unattended-upgrades has them where it is not to upgrade by itself, which it does if it finds none while it is
// installed, and would go on doing when Software is taken out. What upgrades here is upgradesConf.
const (
	autoUpgrades = "/etc/apt/apt.conf.d/20auto-upgrades"
	noUpgrades   = `APT::Periodic::Update-Package-Lists "0";
APT::Periodic::Unattended-Upgrade "0";
`
)

// securityUpdates is the configuration of unattended-upgrades.
const securityUpdates = `APT::Periodic::Enable "1";
APT::Periodic::Update-Package-Lists "1";
APT::Periodic::Unattended-Upgrade "1";
Unattended-Upgrade::Automatic-Reboot "false";
#clear Unattended-Upgrade::Allowed-Origins;
#clear Unattended-Upgrade::Origins-Pattern;
Unattended-Upgrade::Origins-Pattern {
  "origin=Debian,codename=${distro_codename}-security";
  "origin=Ubuntu,archive=${distro_codename}-security";
};
Unattended-Upgrade::Package-Blacklist { "^(%s)$"; };
`

// Validate returns what is wrong with s at now.
func (s *Software) Validate(now time.Time) check.List {
	var l check.List
	l.Check("asOf", check.DayPast(s.AsOf, now))
	return l
}
