package host

import (
	_ "embed"
	"slices"
	"strings"

	openssh "golang.org/x/crypto/ssh"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

const (
	keysConf        = "/etc/quorum-keys"
	keysService     = "quorum-keys.service"
	resolverConf    = "/etc/quorum-resolver"
	resolverService = "quorum-resolver.service"
	programs        = "/usr/local/lib/quorum/"
)

var (
	//go:embed live/quorum-keys
	keysProgram string
	//go:embed live/quorum-keys.service
	keysUnit string
	//go:embed live/quorum-resolver
	resolverProgram string
	//go:embed live/quorum-resolver.service
	resolverUnit string
)

// Login has the key of an administrator be another one than that which cloud-init gave them, and the former ones,
// which have these fingerprints, give no access any more.
func Login(a Admin, former []string) guest.State {
	var text strings.Builder
	text.WriteString("# The SSH keys of " + a.User + "; after a dash fingerprints of former ones.\n")
	for _, fingerprint := range former {
		text.WriteString("- " + fingerprint + "\n")
	}
	text.WriteString(strings.TrimSpace(a.PublicKey) + "\n")
	return guest.State{
		Files: []guest.File{
			guest.Program(programs+"quorum-keys", keysProgram), guest.Public(keysConf, text.String()),
			guest.Unit(keysService, strings.Replace(guest.Terse(keysUnit), "User=USER", "User="+a.User, 1)),
		},
		Services: []guest.Service{{Name: keysService, RestartOn: []string{keysConf}, Timeout: secondsToStart}},
	}
}

// Resolvers has the machine ask other DNS servers than those which cloud-init gave it: a line has the name of an
// interface, its MAC, and the servers.
func Resolvers(lines string) guest.State {
	return guest.State{
		Files: []guest.File{
			guest.Program(programs+"quorum-resolver", resolverProgram), guest.Public(resolverConf, lines), guest.Unit(resolverService, guest.Terse(resolverUnit)),
		},
		Services: []guest.Service{{Name: resolverService, RestartOn: []string{resolverConf}, Timeout: secondsToStart}},
	}
}

// AfterExporter puts what a machine is to do early behind the service by which an update learns how that went.
func AfterExporter(s *guest.State, parts ...guest.State) {
	var early guest.State
	early.Add(parts...)
	s.Files = append(s.Files[:len(s.Files):len(s.Files)], early.Files...)
	at := 0
	for i, service := range s.Services {
		if service.Name == exporter {
			at = i + 1
		}
	}
	s.Services = append(append(s.Services[:at:at], early.Services...), s.Services[at:]...)
}

// FormerLogins are the fingerprints of keys that the program has given to a machine, and gives no more.
func FormerLogins(former []string, before, now string) []string {
	before, now = strings.TrimSpace(before), strings.TrimSpace(now)
	if before == "" || before == now {
		return former
	}
	key, _, _, _, err := openssh.ParseAuthorizedKey([]byte(before))
	if err != nil { // none that sshd would take
		return former
	}
	if print := openssh.FingerprintSHA256(key); !slices.Contains(former, print) {
		former = append(former, print)
	}
	return former
}
