package engine

import (
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// World is the world of a stack's fake plugins, for use in a test.
type World struct {
	t   testing.TB
	dir hypervisor.World
}

// Log lists the operations on things of a type ("Domain"; empty for all) that
// ended, in that order, and the collisions and failures: "delete end Domain a".
func (w World) Log(typ string) []string {
	w.t.Helper()
	var lines []string
	for _, e := range w.Events() {
		if e.Phase != "begin" && (typ == "" || e.Type == typ) {
			lines = append(lines, e.String())
		}
	}
	return lines
}

// Events are all that has happened since Forget.
func (w World) Events() []hypervisor.Event {
	w.t.Helper()
	events, err := w.dir.Events()
	require.NoError(w.t, err)
	return events
}

// Forget empties the log.
func (w World) Forget() {
	w.t.Helper()
	require.NoError(w.t, w.dir.Forget())
}

// Fail makes an operation (create, start, update, delete, read) fail until Heal.
func (w World) Fail(op, typ, name, message string) {
	w.t.Helper()
	require.NoError(w.t, w.dir.Fail(op, typ, name, message))
}

// Heal takes back Fail.
func (w World) Heal(op, typ, name string) {
	w.t.Helper()
	require.NoError(w.t, w.dir.Heal(op, typ, name))
}

// Lose has a host be gone for good, with all that is on it.
func (w World) Lose(host string) {
	w.t.Helper()
	require.NoError(w.t, w.dir.Lose(host))
}

// Advance sets the clock ahead of the real one, for certificates.
func (w World) Advance(by time.Duration) {
	w.t.Helper()
	require.NoError(w.t, w.dir.Advance(by))
}

// Objects is everything that exists on all hosts.
func (w World) Objects() []hypervisor.Object {
	w.t.Helper()
	objects, err := w.dir.Objects()
	require.NoError(w.t, err)
	return objects
}

// Watch gives everything that exists, often, or why that cannot be told while
// something changes.
func (w World) Watch() *hypervisor.Watch { return w.dir.Watch() }

// Names lists what exists of one type on all hosts.
func (w World) Names(typ string) []string {
	w.t.Helper()
	var names []string
	for _, o := range w.Objects() {
		if o.Type == typ {
			names = append(names, o.Name[strings.LastIndex(o.Name, "/")+1:])
		}
	}
	return names
}

// Remove takes a thing away behind Pulumi's back.
func (w World) Remove(typ, name string) {
	w.t.Helper()
	for _, o := range w.Objects() {
		if o.Type == typ && o.Name[strings.LastIndex(o.Name, "/")+1:] == name {
			require.NoError(w.t, w.dir.Remove(o.Host, o.Kind, o.Name))
			return
		}
	}
	require.Fail(w.t, "no such thing", "%s %s", typ, name)
}

// Of are a machine and its volumes, as far as they are there.
func (w World) Of(machine string) (all []hypervisor.Object) {
	for _, o := range w.Objects() {
		name := o.Name[strings.LastIndex(o.Name, "/")+1:]
		if name == machine || o.Type == "Volume" && regexp.MustCompile(`^`+machine+`(-data|-[0-9a-f]{8})?\.`).MatchString(name) {
			all = append(all, o)
		}
	}
	return all
}

// RemoveAll takes a machine and its volumes away behind Pulumi's back.
func (w World) RemoveAll(machine string) {
	w.t.Helper()
	all := w.Of(machine)
	require.Len(w.t, all, 3, "a machine, its root volume and its data")
	for _, o := range all {
		require.NoError(w.t, w.dir.Remove(o.Host, o.Kind, o.Name))
	}
}

// Leave makes a thing behind Pulumi's back that is like another, but off: what an
// update made that was killed before the engine had noted it.
func (w World) Leave(typ, like, name string) {
	w.t.Helper()
	for _, o := range w.Objects() {
		if before, is := strings.CutSuffix(o.Name, like); is && o.Type == typ {
			o.Name, o.ID, o.Props = before+name, o.ID+name, maps.Clone(o.Props)
			o.Props["running"] = false
			require.NoError(w.t, w.dir.Create(o))
			return
		}
	}
	require.Fail(w.t, "no such thing", "%s %s", typ, like)
}

// PowerOff stops a machine behind Pulumi's back.
func (w World) PowerOff(machine string) { w.t.Helper(); w.power(machine, false) }

// PowerOn starts one.
func (w World) PowerOn(machine string) { w.t.Helper(); w.power(machine, true) }

func (w World) power(machine string, on bool) {
	w.t.Helper()
	for _, o := range w.Objects() {
		if o.Type == "Domain" && o.Name == machine {
			o.Props = maps.Clone(o.Props)
			o.Props["running"] = on
			require.NoError(w.t, w.dir.Put(o))
			return
		}
	}
	require.Fail(w.t, "no such machine", machine)
}

// UserData is what the cloud-init drive of a machine now holds.
func (w World) UserData(machine string) string {
	w.t.Helper()
	objects := w.Objects()
	for _, domain := range objects {
		if domain.Type != "Domain" || domain.Name != machine {
			continue
		}
		for _, disk := range objects {
			if disk.Type == "CloudInitDisk" && disk.ID == domain.Props["cloudinit"] {
				userData, _ := disk.Props["userData"].(string)
				return userData
			}
		}
	}
	require.Fail(w.t, "no such machine with a cloud-init disk", machine)
	return ""
}

// State is what a machine is now wanted to be, as JSON.
func (w World) State(machine string) string {
	w.t.Helper()
	state, err := hypervisor.State(w.UserData(machine))
	require.NoError(w.t, err)
	return string(state)
}

// Dir is the directory of the world's files.
func (w World) Dir() string { return string(w.dir) }

// Put makes a thing behind Pulumi's back.
func (w World) Put(o hypervisor.Object) error { return w.dir.Put(o) }

// Take takes a thing away behind Pulumi's back, of those that exist.
func (w World) Take(o hypervisor.Object) error { return w.dir.Remove(o.Host, o.Kind, o.Name) }
