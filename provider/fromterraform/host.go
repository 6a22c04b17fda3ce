package fromterraform

import (
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// admin is who may log in to a machine.
type admin struct {
	user, key, why string // why there is no key
	from           string
	password       string
	noPassword     string // why there is none, although there is one on the machine
}

func (s *inventory) admin(m *Machine) admin {
	a := admin{from: m.From}
	for _, config := range m.configs {
		for _, user := range config.in("users").list() {
			if keys := user.in("ssh_authorized_keys").texts(); len(keys) > 0 && a.key == "" {
				a.user, a.key = user.in("name").text(), strings.TrimSpace(keys[0])
			}
		}
	}
	name := orElse(a.user, "ubuntu")
	for _, config := range m.configs {
		for _, user := range config.in("users").list() {
			if user.in("name").text() == name {
				a.knows(user.in("plain_text_passwd"), "")
				a.hasHash(user.in("passwd").text() + user.in("hashed_passwd").text())
			}
		}
		for _, user := range config.in("chpasswd", "users").list() {
			if user.in("name").text() == name {
				a.knows(user.in("password"), orElse(user.in("type").text(), "hash"))
			}
		}
		list := config.in("chpasswd", "list")
		for _, entry := range append(strings.Split(list.text(), "\n"), list.texts()...) {
			if user, password, is := strings.Cut(strings.TrimSpace(entry), ":"); is && user == name {
				a.password, a.noPassword = asSet(password)
			}
		}
	}
	if a.key == "" {
		if pair, has := s.find("openstack_compute_keypair_v2", func(r Resource) bool { return m.keypair != "" && r.Values.text("name") == m.keypair }); has {
			s.use(pair)
			a.key, a.from = strings.TrimSpace(pair.Values.text("public_key")), pair.Address
		}
	}
	if a.key == "" {
		a.why = "there is none in " + m.Address + " and its user data"
	} else if reason := check.SSHPublicKey(a.key); reason != "" {
		a.key, a.why = "", a.from+": what is there "+reason
	}
	return a
}

// knows has a password of the console, if it is one.
func (a *admin) knows(password section, kind string) {
	switch {
	case password.text() == "" && kind != "RANDOM":
	case kind == "hash":
		a.hasHash(password.text())
	case kind == "RANDOM":
		a.password, a.noPassword = asSet(kind)
	default:
		a.password, a.noPassword = sure(password)
	}
}

func (a *admin) hasHash(hash string) {
	if hash != "" {
		a.password, a.noPassword = "", "the state has only its hash"
	}
}

// asSet is a password of chpasswd's list, as cloud-init takes it.
func asSet(password string) (plain, why string) {
	switch {
	case password == "R" || password == "RANDOM":
		return "", "cloud-init chose it"
	case check.Matches(`\$(1|2a|2y|5|6)(\$.+){2}`, password):
		return "", "the state has only its hash"
	}
	return password, ""
}

// sure is a password that was read as it is written.
func sure(s section) (password, why string) {
	password, is := s.said()
	if !is && s.text() != "" {
		return "", "it was written without quotes, and YAML reads it as something else than a text"
	}
	return password, ""
}

// host sets what all servers have: the admin, and the clock.
func (p *program) host(b *block, name string, machines []*Machine) {
	first := machines[0]
	a := p.admin(first)
	for _, m := range machines[1:] {
		if other := p.admin(m); other.key != a.key || other.user != a.user || other.password != a.password {
			b.note("%s has another admin user, key or password than %s: this is the latter's", m.Address, first.Address)
		}
	}
	if a.key != "" {
		b.set("sshAdminPublicKey", a.key)
	} else {
		b.ask("sshAdminPublicKey", asked{words: "ssh admin public key", what: "admin's public key", why: a.why, example: `"$(cat ~/.ssh/id_ed25519.pub)"`})
	}
	if a.user != "ubuntu" {
		b.set("sshAdminUser", a.user)
	}
	if a.password != "" || a.noPassword != "" {
		b.set("adminUserPassword", p.secrets.add(Secret{
			Key: camel(name, "admin user password"), What: "password of " + orElse(a.user, "ubuntu") + " on the console", From: from(first.From, a.noPassword), Value: a.password,
		}))
	}
	p.chrony(b, machines)
	if slices.ContainsFunc(machines, (*Machine).logs) {
		b.missing("fluentbit", "machines forward their logs, see docs/migrating.md, Logs: it is not taken over")
	}
}

// logs says whether the machine forwards its logs.
func (m *Machine) logs() bool {
	for path := range m.Files {
		if strings.HasPrefix(path, "/etc/fluent-bit-customization/") || path == "/opt/fluentd.conf" {
			return true
		}
	}
	return false
}

func from(where, why string) string {
	if why != "" {
		return where + ": not taken over, " + why
	}
	return where
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
