package postgresmachines

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// put writes the machine's files below its directory, so that several machines
// can be on this one.
func (m *machine) put(s guest.State) (ip string, err error) {
	for _, f := range s.Files {
		if found := served.FindStringSubmatch(f.Content); found != nil {
			ip = found[1]
		}
	}
	if err := m.withoutUpgrade(s); err != nil {
		return "", err
	}
	for _, d := range []string{m.Data, filepath.Join(m.dir, "etc", "tls"), filepath.Join(m.dir, "etc", "patroni")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return "", err
		}
	}
	here := strings.NewReplacer(
		"/etc/patroni", filepath.Join(m.dir, "etc"), "/etc/haproxy", filepath.Join(m.dir, "etc"), "/var/lib/postgresql", m.Data,
		`"installed":"/usr/lib/postgresql"`, fmt.Sprintf(`"installed":%q`, filepath.Join(m.dir, "postgresql")),
		",127.0.0.1:5432", ":5432", "bind :", "bind "+ip+":",
		"local all postgres peer", "local all postgres trust", // for any user
		"parameters:\n        ssl:", "parameters:\n        fsync: \"off\"\n        unix_socket_directories: "+m.Data+"\n        ssl:",
		"maxconn 30000", "maxconn 4000", // there may be fewer file descriptors
		"    chroot /var/lib/haproxy\n    user haproxy\n    group haproxy\n", "",
		walProgram+" push", "ln -sfn $PWD "+filepath.Join(m.dir, led)+"; true", walProgram+" get", "false",
		host.BackupProgram+" found "+host.BackupConf, m.found(),
	)
	for _, f := range s.Files {
		for _, own := range []string{"/etc/patroni/", "/etc/haproxy/"} {
			if rest, is := strings.CutPrefix(f.Path, own); is {
				err = m.write(rest, here.Replace(f.Content))
			}
		}
		if f.Path == upgradeProgram {
			err = m.write(filepath.Base(f.Path), f.Content)
		}
		if err != nil {
			return "", err
		}
	}
	return ip, m.exporter.BackedUp(s)
}

// found is a command that founds a cluster from what is left of the data of the node that led it
// last, as a restore does from its backups: a leader that archives WAL says here where its data are. It
// fails where none has led.
func (m *machine) found() string {
	data := filepath.Join(m.Data, "data")
	return fmt.Sprintf(`sh -c "set -- $(ls -td %s); test $# -gt 0 && cp -a $1/. %s && rm -f %s/postmaster.pid"`, filepath.Join(filepath.Dir(m.dir), "*", led), data, data)
}

// write writes a file of etc, for whom Patroni runs as.
func (m *machine) write(name, text string) error {
	path := filepath.Join(m.dir, "etc", name)
	err := os.WriteFile(path, []byte(text), 0o600)
	if err == nil && os.Geteuid() == 0 {
		_, err = nobody(path)
	}
	return err
}

// nobody is given all that is in directories.
func nobody(directories ...string) (*syscall.Credential, error) {
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	for _, directory := range directories {
		err = filepath.Walk(directory, func(path string, _ os.FileInfo, err error) error {
			if err == nil {
				err = os.Lchown(path, uid, gid)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
