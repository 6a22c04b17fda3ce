// Package guest says what a machine is to be: its packages, files and services.
//
// Roles make a State; quorum-apply, the one program that runs on every machine
// (folder apply), makes the machine so, at first boot and at every change.
// Nothing here talks to Pulumi or to a machine.
package guest

// State is what a machine is to be. Each list is put in place in its order,
// and the lists in the order of the fields. Presets are files that packages
// read while they are installed; nobody looks at them later.
type State struct {
	Machine      string       `json:"machine"`
	Generation   string       `json:"generation,omitempty"`
	Install      bool         `json:"install"`
	AptProxy     string       `json:"aptProxy,omitempty"`
	Repositories []Repository `json:"repositories,omitempty"`
	Presets      []File       `json:"presets,omitempty"`
	Packages     []Package    `json:"packages,omitempty"`
	Artifacts    []Artifact   `json:"artifacts,omitempty"`
	Users        []User       `json:"users,omitempty"`
	Volumes      []Volume     `json:"volumes,omitempty"`
	Directories  []Directory  `json:"directories,omitempty"`
	Files        []File       `json:"files,omitempty"`
	Services     []Service    `json:"services,omitempty"`
}

// Repository is an apt repository beside the distribution's own. URI and Suite
// may hold {id} and {codename}, which the machine fills in.
type Repository struct {
	Name        string   `json:"name"`
	URI         string   `json:"uri"`
	Suite       string   `json:"suite"`
	Components  []string `json:"components"`
	KeyURL      string   `json:"keyUrl"`
	Fingerprint string   `json:"fingerprint"`
}

// Package is a package of a repository, and the files that tell it is there.
type Package struct {
	Name     string   `json:"name"`
	Provides []string `json:"provides"`
}

// Artifact is a release of an upstream project: which of its files go where.
// URL may hold {arch}, amd64 or arm64.
type Artifact struct {
	Name          string            `json:"name"`
	URL           string            `json:"url"`
	SHA256        string            `json:"sha256,omitempty"`
	SHA256SumsURL string            `json:"sha256SumsUrl,omitempty"`
	Files         map[string]string `json:"files"`
}

// User is a system user, with a group of the same name.
type User struct {
	Name   string   `json:"name"`
	Home   string   `json:"home"`
	Groups []string `json:"groups,omitempty"`
}

// Volume is a disk whose file system is found by its label. Only a blank disk
// is ever formatted.
type Volume struct {
	Device     string `json:"device"`
	Label      string `json:"label"`
	MountPoint string `json:"mountPoint"`
}

// Directory is a directory that a service expects.
type Directory struct {
	Path  string `json:"path"`
	Owner string `json:"owner"`
	Group string `json:"group"`
	Mode  string `json:"mode"`
}

// File is a file, whole.
type File struct {
	Path    string `json:"path"`
	Owner   string `json:"owner"`
	Group   string `json:"group"`
	Mode    string `json:"mode"`
	Content string `json:"content"`
}

// Service is a unit that is to be enabled and running. A changed unit file
// always restarts it. Means are words for what a restart is for those who use
// the machine, if to them nothing restarts, or with RestartsOthers what does:
// any service, and the machine. That is the moment, in UTC, up to which it brings packages: a later one
// restarts others, an earlier one does nothing. ReloadMeans are those for a reload, if they differ.
type Service struct {
	Name       string   `json:"name"`
	RestartOn  []string `json:"restartOn,omitempty"`
	ReloadOn   []string `json:"reloadOn,omitempty"`
	RestartKey string   `json:"restartKey,omitempty"`
	Verify     []string `json:"verify,omitempty"`
	Check      *Check   `json:"check,omitempty"`
	Timeout    int      `json:"timeoutSeconds"`
	Means      string   `json:"-"`

	ReloadMeans    string `json:"-"`
	RestartsOthers string `json:"restartsOthers,omitempty"`
}

// Check is how a service shows that it works. Without one, being active is enough.
type Check struct {
	URL      string `json:"url"`
	CAFile   string `json:"caFile,omitempty"`
	CertFile string `json:"certFile,omitempty"`
	KeyFile  string `json:"keyFile,omitempty"`
	Contains string `json:"contains,omitempty"`
}
