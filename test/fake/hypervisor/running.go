package hypervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ending bounds how long a machine takes to end.
const ending = 20 * time.Second

// Starts notes that the machine of a domain runs somewhere.
func (w *Watch) Starts(id string) error {
	file := w.world.running(id)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, nil, 0o600)
}

// Ends notes that it does no more.
func (w *Watch) Ends(id string) error { return gone(os.Remove(w.world.running(id))) }

// Ended waits until the machine of a domain runs nowhere: libvirt destroys none that
// answers still.
func (w World) Ended(id string) error {
	for end := time.Now().Add(ending); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(w.running(id)); err != nil {
			return gone(err)
		}
	}
	return fmt.Errorf("the machine of domain %s does not end", id)
}

func (w World) running(id string) string { return w.path("running", escape(id)) }

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
