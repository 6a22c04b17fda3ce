package hypervisor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// SetImage remembers which file is a volume's content on this host.
func (w World) SetImage(volume, file string) error {
	path := w.path("images", escape(volume))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(file), 0o600)
}

// Image is that file, empty for a volume that was never in a machine.
func (w World) Image(volume string) (string, error) {
	file, err := os.ReadFile(w.path("images", escape(volume)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(file), err
}

// ForgetImage takes back SetImage.
func (w World) ForgetImage(volume string) error {
	return os.Remove(w.path("images", escape(volume)))
}
