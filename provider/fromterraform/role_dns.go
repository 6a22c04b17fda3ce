package fromterraform

import (
	"maps"
	"slices"
	"strings"
)

// resolver is a DNS server: its machine, and what CoreDNS's and its updater's
// configurations say.
type resolver struct {
	*Machine
	corefile string
	lines    [][]string
	updater  updater
}

// updater is what copies zones from etcd.
type updater struct {
	from      string // where it is configured
	prefix    string
	endpoints []string
	ca        string
	user      string
	password  string
	sure      bool // that the password is read as it is written
	cert, key string
}

// asResolver is nil for a machine without CoreDNS.
func (m *Machine) asResolver() *resolver {
	path, text := m.file("/etc/coredns/Corefile", "/opt/coredns/Corefile")
	if path == "" {
		return nil
	}
	r := &resolver{Machine: m, corefile: m.at(path)}
	for _, text := range strings.Split(text, "\n") {
		text, _, _ = strings.Cut(text, "#")
		if words := strings.Fields(text); len(words) > 0 {
			r.lines = append(r.lines, words)
		}
	}
	const newer = "/etc/coredns-zonefiles-updater/config.yml"
	if text, has := m.Files[newer]; has {
		r.updater = m.fileUpdater(newer, text)
	} else {
		r.updater = m.unitUpdater()
	}
	return r
}

// words are those behind a directive of CoreDNS, of each line that has it.
func (r *resolver) words(directive string) (all [][]string) {
	for _, words := range r.lines {
		if words[0] == directive {
			all = append(all, words[1:])
		}
	}
	return all
}

// fileUpdater has a file for its configuration.
func (m *Machine) fileUpdater(path, text string) updater {
	conf, err := parse(text)
	u := updater{from: m.at(path)}
	if err != nil {
		m.problems = append(m.problems, u.from+": "+err.Error())
	}
	etcd := conf.in("etcd_client")
	u.prefix, u.endpoints = etcd.in("prefix").text(), endpoints(etcd.in("endpoints").texts())
	u.ca = m.Files[etcd.in("auth", "ca_cert").text()]
	both := m.Files[etcd.in("auth", "client_cert_key").text()]
	u.cert, u.key = both, both
	if login, err := parse(m.Files[etcd.in("auth", "password_auth").text()]); err == nil {
		u.user = login.in("username").text()
		u.password, u.sure = login.in("password").said()
	}
	return u
}

// unitUpdater has the environment of its unit for its configuration.
func (m *Machine) unitUpdater() updater {
	for _, path := range slices.Sorted(maps.Keys(m.Files)) {
		text := m.Files[path]
		if !strings.HasSuffix(path, ".service") || !strings.Contains(text, "ETCD_KEY_PREFIX=") || strings.Contains(path, "fluent") {
			continue
		}
		env := environment(text)
		return updater{
			from: m.at(path), prefix: env["ETCD_KEY_PREFIX"], endpoints: endpoints(strings.Split(env["ETCD_ENDPOINTS"], ",")),
			ca: m.Files[env["CA_CERT_PATH"]], cert: m.Files[env["USER_CERT_PATH"]], key: m.Files[env["USER_KEY_PATH"]],
			user: env["USER_NAME"], password: env["USER_PASSWORD"], sure: !strings.ContainsAny(env["USER_PASSWORD"], "%\"'\\ \t"),
		}
	}
	return updater{}
}

// environment are the variables that a unit sets, one in a line.
func environment(unit string) map[string]string {
	all := map[string]string{}
	for _, text := range strings.Split(unit, "\n") {
		if setting, is := strings.CutPrefix(strings.TrimSpace(text), "Environment="); is {
			name, value, _ := strings.Cut(setting, "=")
			all[name] = value
			if quoted := strings.Trim(setting, `"`); quoted != setting {
				name, value, _ = strings.Cut(quoted, "=")
				all[name] = value
			}
		}
	}
	return all
}
