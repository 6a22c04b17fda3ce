package hypervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// Object is a thing that exists on a host. The kinds have a namespace each;
// cloud-init disks are volumes like others.
type Object struct {
	Host  string         `json:"host"`
	Kind  string         `json:"kind"` // domains, volumes, networks, pools
	Name  string         `json:"name"` // of a volume: pool/name
	Type  string         `json:"type"`
	ID    string         `json:"id"`
	Born  string         `json:"born"` // another one for each time that it is made
	Props map[string]any `json:"props"`
}

// ErrExists is returned for a name that is taken.
var ErrExists = errors.New("already exists")

// Create adds an object, whose name must be free.
func (w World) Create(o Object) error {
	file := w.object(o.Host, o.Kind, o.Name)
	if _, err := os.Stat(file); err == nil {
		return fmt.Errorf("%s %q on %s: %w", o.Type, o.Name, o.Host, ErrExists)
	}
	o.Born = uuid.NewString()
	return w.Put(o)
}

// Put writes an object, over an older one if there is, whole for who reads it
// meanwhile.
func (w World) Put(o Object) error {
	file := w.object(o.Host, o.Kind, o.Name)
	content, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return err
	}
	kind := filepath.Dir(file)
	if err := os.MkdirAll(kind, 0o700); err != nil {
		return err
	}
	fresh, err := os.CreateTemp(filepath.Dir(kind), "new-")
	if err != nil {
		return err
	}
	_, err = fresh.Write(append(content, '\n'))
	if err := errors.Join(err, fresh.Close()); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), file)
}

// Get returns an object and whether it exists.
func (w World) Get(host, kind, name string) (Object, bool, error) {
	o, err := read(w.object(host, kind, name))
	if errors.Is(err, fs.ErrNotExist) {
		return Object{}, false, nil
	}
	return o, err == nil, err
}

// Remove takes an object out of the world, as somebody with virsh would.
func (w World) Remove(host, kind, name string) error {
	return os.Remove(w.object(host, kind, name))
}

// Objects lists everything that exists, by host, kind and name.
func (w World) Objects() ([]Object, error) {
	files, err := filepath.Glob(w.path("hosts", "*", "*", "*"))
	if err != nil {
		return nil, err
	}
	objects := make([]Object, 0, len(files))
	for _, file := range files {
		o, err := read(file)
		switch {
		case err == nil:
			objects = append(objects, o)
		case !errors.Is(err, fs.ErrNotExist): // what has gone meanwhile is not there
			return nil, err
		}
	}
	return objects, nil
}

// Watch is a world that is looked at often: of what has not changed it gives
// what it gave before. Nobody may change that.
type Watch struct {
	world World
	known map[string]seen
}

type seen struct {
	file   fs.FileInfo
	object Object
}

// Watch is w to be looked at often, by one at a time.
func (w World) Watch() *Watch { return &Watch{world: w} }

// Objects are those of the world.
func (w *Watch) Objects() ([]Object, error) {
	files, err := filepath.Glob(w.world.path("hosts", "*", "*", "*"))
	if err != nil {
		return nil, err
	}
	known, objects := make(map[string]seen, len(files)), make([]Object, 0, len(files))
	for _, file := range files {
		now, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		last, is := w.known[file]
		if !is || !os.SameFile(last.file, now) || !last.file.ModTime().Equal(now.ModTime()) { // Put makes another file
			if last.object, err = read(file); err != nil {
				return nil, err
			}
			last.file = now
		}
		known[file], objects = last, append(objects, last.object)
	}
	w.known = known
	return objects, nil
}

func read(file string) (Object, error) {
	var o Object
	content, err := os.ReadFile(file)
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(content, &o)
}

func (w World) object(host, kind, name string) string {
	return w.path("hosts", escape(host), kind, escape(name))
}
