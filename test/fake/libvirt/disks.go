package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The data of a machine outlives it, as a volume does its domain: the sandbox
// keeps the image when a machine goes down, and it goes with the volume.

// attach pairs the data volumes of a domain with the labels in its user data.
// The image of a volume that is new in this world is left from an earlier test.
func (m *machines) attach(c call, labels []string) error {
	disks := c.props.objects("disks")
	for i, label := range labels {
		if i+1 >= len(disks) {
			break
		}
		volume, image := disks[i+1].text("volumeId"), m.image(c.name, label)
		known, err := m.world.Image(volume)
		if err != nil {
			return err
		}
		if known != image {
			if err := remove(image); err != nil {
				return err
			}
		}
		if err := m.world.SetImage(volume, image); err != nil {
			return err
		}
	}
	return nil
}

// detach removes the data of a volume.
func (m *machines) detach(volume string) error {
	image, err := m.world.Image(volume)
	if err != nil || image == "" {
		return err
	}
	return errors.Join(remove(image), m.world.ForgetImage(volume))
}

// image is where the sandbox keeps the disk of a machine.
func (m *machines) image(machine, label string) string {
	return filepath.Join(m.state, "disks", machine+"-"+label+".img")
}

func sandboxState() string {
	cache := os.Getenv("QUORUM_CACHE")
	if cache == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			base = os.TempDir()
		}
		cache = filepath.Join(base, "quorum")
	}
	return filepath.Join(cache, "sandbox", orElse(os.Getenv("QUORUM_SANDBOX"), "quorum"))
}

func remove(file string) error {
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
