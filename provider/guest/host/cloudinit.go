package host

import (
	"fmt"
	"sync"

	"github.com/GehirnInc/crypt/sha512_crypt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
)

// passwordRounds make a weak password costly to guess from its hash.
const passwordRounds = 100000

// sshd is its configuration: keys only. It is there before sshd starts;
// cloud-init's own setting restarts it. Of several values sshd takes the first.
var sshd = cloudinit.WriteFile{
	Path: "/etc/ssh/sshd_config.d/10-quorum.conf", Owner: "root:root", Permissions: "0644",
	Content: "PasswordAuthentication no\nKbdInteractiveAuthentication no\n",
}

// UserData is what a machine reads at first boot, short of its State: see Deliver.
func UserData(hostname string, admin Admin) (cloudinit.UserData, error) {
	u := cloudinit.UserData{
		Hostname:       hostname,
		ManageEtcHosts: true, // sudo stalls on a host that cannot find its own name
		Users: []cloudinit.User{{
			Name:              admin.User,
			Groups:            []string{"adm", "sudo"},
			Sudo:              "ALL=(ALL) NOPASSWD:ALL",
			Shell:             "/bin/bash",
			LockPassword:      admin.Password == "",
			SSHAuthorizedKeys: []string{admin.PublicKey},
		}},
		WriteFiles: []cloudinit.WriteFile{sshd},
	}
	if admin.Password == "" {
		return u, nil
	}
	hash, err := admin.passwordHash(hostname)
	u.Passwords = &cloudinit.Passwords{Users: []cloudinit.Password{{Name: admin.User, Password: hash, Type: "hash"}}}
	return u, err
}

// passwordHash is what the machine keeps of the password. The salt is the
// machine's name, so that nothing changes from one update to the next.
func (a Admin) passwordHash(hostname string) (string, error) {
	salt := fmt.Sprintf("$6$rounds=%d$%s", passwordRounds, guest.Hash(hostname))
	hash, err := sha512_crypt.New().Generate([]byte(a.Password), []byte(salt))
	if err != nil {
		return "", fmt.Errorf("hash the password of %s: %w", a.User, err)
	}
	return hash, nil
}

// program is the same for all machines.
var program = sync.OnceValues(func() (cloudinit.WriteFile, error) {
	return cloudinit.WriteFile{Path: guest.ApplyPath, Owner: "root:root", Permissions: "0755", Content: guest.Apply()}.Compressed()
})

// Deliver puts s, and the program that puts it in place, into u. It returns
// the generation of s.
func Deliver(s guest.State, u *cloudinit.UserData) (generation string, err error) {
	text, generation, err := s.Marshal()
	if err != nil {
		return "", err
	}
	program, err := program()
	if err != nil {
		return "", err
	}
	wanted, err := cloudinit.WriteFile{Path: guest.DrivePath, Owner: "root:root", Permissions: "0600", Content: text}.Compressed()
	if err != nil {
		return "", err
	}
	u.WriteFiles = append([]cloudinit.WriteFile{program, wanted}, u.WriteFiles...)
	u.RunCommands = [][]string{{guest.ApplyPath, "--first-boot"}}
	return generation, nil
}
