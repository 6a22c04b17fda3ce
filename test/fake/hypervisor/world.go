// Package hypervisor is the made-up world behind the fake plugins: hosts with their
// machines, volumes and networks, kept as files so that tests can look at them
// and meddle with them.
//
//	log                    one line per operation
//	fail/OP-TYPE-NAME      this operation fails; the file's text is the error
//	lost/URI               this host is gone: nothing there can be done, and nothing runs
//	clock                  how far ahead the world's clock is ("8000h")
//	hosts/URI/KIND/NAME    one file per object
//	seeds/NAME/            what a booted machine is seeded with
//	running/ID             one file per domain whose machine somebody runs
package hypervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// World is a directory that holds a made-up world.
type World string

// Fail makes an operation on an object fail until Heal.
func (w World) Fail(op, typ, name, message string) error {
	file := w.failure(op, typ, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(message), 0o600)
}

// Heal takes back Fail.
func (w World) Heal(op, typ, name string) error {
	return os.Remove(w.failure(op, typ, name))
}

// hash is what a name ends with that changes with what it names, or that Pulumi gave.
var hash = regexp.MustCompile(`-[0-9a-f]{7,8}(\.\w+)?$`)

// Injected returns the failure that a test has ordered for an operation. A name with
// a hash is meant without it, too.
func (w World) Injected(op, typ, name string) error {
	message, err := os.ReadFile(w.failure(op, typ, name))
	if errors.Is(err, fs.ErrNotExist) {
		message, err = os.ReadFile(w.failure(op, typ, hash.ReplaceAllString(name, "$1")))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case strings.TrimSpace(string(message)) == "":
		return fmt.Errorf("injected failure of %s %s %s", op, typ, name)
	}
	return errors.New(strings.TrimSpace(string(message)))
}

func (w World) failure(op, typ, name string) string {
	return w.path("fail", op+"-"+typ+"-"+escape(name))
}

// Lose has a host be gone for good.
func (w World) Lose(host string) error {
	file := w.path("lost", escape(host))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, nil, 0o600)
}

// Lost tells whether a host is gone.
func (w World) Lost(host string) bool {
	_, err := os.Stat(w.path("lost", escape(host)))
	return err == nil
}

// Advance sets the world's clock ahead of the real one.
func (w World) Advance(by time.Duration) error {
	return os.WriteFile(w.path("clock"), []byte(by.String()), 0o600)
}

// Now is the time in the world.
func (w World) Now() (time.Time, error) {
	text, err := os.ReadFile(w.path("clock"))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Now(), nil
	}
	if err != nil {
		return time.Time{}, err
	}
	ahead, err := time.ParseDuration(strings.TrimSpace(string(text)))
	return time.Now().Add(ahead), err
}

// SeedDir is where the seed files of a machine are kept.
func (w World) SeedDir(machine string) string {
	return w.path("seeds", escape(machine))
}

func (w World) path(parts ...string) string {
	return filepath.Join(append([]string{string(w)}, parts...)...)
}

// escape makes one file name of any text, a URI for instance.
func escape(name string) string {
	return strings.NewReplacer("%", "%25", "/", "%2F").Replace(name)
}
