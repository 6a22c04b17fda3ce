package guest

import (
	"encoding/json"
	"slices"
	"strings"
)

// Classes of what may happen to a machine that runs, as the words for it begin.
const (
	Rebuild = "rebuild: " // the machine, or a disk of it, is rebuilt
	Restart = "restart: "
	Live    = "live: " // nothing that others use stops
)

// Anew is a Rebuild of the machine as a whole.
const Anew = Rebuild + "a fresh machine"

// Again is Anew where no input asks for it.
const Again = Anew + ", in place of one that is gone or that --replace names"

// DataAgain is the same of the data volume.
const DataAgain = Rebuild + "an empty data volume, in place of one that is gone or that --replace names"

// PowerOff is a Restart of all that the machine runs.
const PowerOff = Restart + "the machine, which is powered off and on"

// DataAnew is a Rebuild of the data volume.
const DataAnew = Rebuild + "the data volume, and what it holds is lost"

// MoreRoom is Anew where a machine sees only at its boot that its data volume has grown.
const MoreRoom = Anew + ", with more room on its data volume"

// DataGrows is what happens instead where only the size differs, and is larger.
const DataGrows = Live + "the data volume grows, and the file system on it"

// BackupsFollow is what a restart of the timer of backups means.
const BackupsFollow = "backups follow their new settings"

// What another day of packages does, and another choice of what is upgraded in between.
const (
	PatchDay       = "patch day: packages are upgraded, and what runs former ones restarts, if need be the machine"
	UpgradesChange = "which packages are upgraded between patch days"
)

// NoPatchDay is what happens where PatchDay would go back.
const NoPatchDay = Live + "an earlier patch day: packages stay as they are, and nothing restarts"

// What reaches a machine that runs, of what cloud-init reads when it comes to be. Machines that an earlier release
// made have none of it in their states.
const (
	LoginChange     = Live + "who logs in over SSH, by which key"
	ResolversChange = Live + "which DNS servers it asks"
)

// What states know by names that stay: previews say more.
const (
	PackagesChange  = Live + "what is missing is installed"
	AccountsChange  = Live + "users and directories are made"
	AutostartChange = Live + "whether it is started"
	BackupsChange   = Live + BackupsFollow
)

// Effects are what may happen to a machine that runs, in words, each with a
// text that changes when it does.
func (s State) Effects() map[string]string {
	all, read := map[string]string{}, map[string]bool{}
	for _, service := range s.Services {
		restarts, reloads := Restart+service.Name, Live+service.Name+" reloads"
		switch {
		case service.RestartsOthers != "":
			restarts, reloads = Restart+service.Means, Live+service.ReloadMeans
		case service.Means != "":
			restarts, reloads = Live+service.Means, Live+service.Means
		}
		all[restarts] = strings.Join(s.restart(service), "\n")
		if service.RestartsOthers != "" {
			all[restarts] = Dated(Hash(service.Means), service.RestartsOthers)
		}
		var reload []string
		for _, f := range s.Files {
			isUnit := service.startsWith(f.Path) && !slices.Contains(service.RestartOn, f.Path)
			read[f.Path] = read[f.Path] || service.startsWith(f.Path)
			// Another unit of what restarts others restarts none.
			if slices.Contains(service.ReloadOn, f.Path) || isUnit && service.RestartsOthers != "" {
				reload, read[f.Path] = append(reload, f.Content), true
			}
		}
		if reload != nil {
			all[reloads] += strings.Join(reload, "\n")
		}
	}
	for _, f := range s.Files {
		if !read[f.Path] {
			all[Live+"the file "+f.Path] = f.Content
		}
	}
	for _, a := range s.Artifacts {
		all[Live+"the program "+a.Name+" is installed"] = Text(a)
	}
	all[PackagesChange] = Text(s.Install, s.AptProxy, s.Repositories, s.Presets, s.Packages)
	all[AccountsChange] = Text(s.Users, s.Volumes, s.Directories)
	return all
}

// Text is what plain values are, in JSON.
func Text(parts ...any) string {
	b, err := json.Marshal(parts)
	if err != nil {
		panic(err) // they have no other fields than texts and numbers
	}
	return string(b)
}
