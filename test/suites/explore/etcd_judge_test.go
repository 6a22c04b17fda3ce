package explore

import (
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// safe checks what the update did to machines and their data.
func (e *etcdSubject) safe(t *trial, began time.Time) {
	for _, event := range deletions(t.World.Events()) {
		name, data := event.Name, strings.HasSuffix(event.Name, "-data.qcow2")
		if event.Type != "Domain" && !data {
			continue
		}
		e.allowed(t, began, event, strings.TrimSuffix(name, "-data.qcow2"), data)
	}
	t.World.Forget()
	for _, restart := range e.machines.Restarts() {
		if restart.At.After(began) {
			e.allowed(t, began, hypervisor.Event{Time: restart.At, Op: "restart", Type: "etcd", Name: restart.Name}, restart.Name, false)
		}
	}
	if ids := e.truth.clusters(); len(ids) > 1 {
		t.violate("two clusters", "%x", ids)
	}
}

// allowed checks that the others were enough when a machine was touched.
func (e *etcdSubject) allowed(t *trial, began time.Time, event hypervisor.Event, name string, data bool) {
	address := e.address(name)
	ok, at := e.truth.allows(began, event.Time, func(s sample) bool {
		if !slices.Contains(s.voters, address) {
			return true
		}
		rest := 0
		for _, each := range s.healthy {
			if each != address {
				rest++
			}
		}
		switch n := len(s.voters); {
		case n > 2:
			return rest >= quorum(n)
		case data:
			return false
		default: // of two the other has no quorum while this one is away
			return rest >= n-1 || len(s.runs) >= n-1 && !slices.Contains(s.runs, address)
		}
	})
	if !ok {
		what := "a machine was touched that the others could not do without"
		if data {
			what = "data were destroyed that the others could not do without"
		}
		t.violate(what, "%s %s at %s; then voted %v, and were healthy %v", event, event.Note, event.Time.Sub(began), at.voters, at.healthy)
	}
}

// whole checks that the members of the program are those of the cluster.
func (e *etcdSubject) whole(t *trial) {
	var wanted []string
	for _, m := range e.now.machines {
		wanted = append(wanted, m.address)
	}
	slices.Sort(wanted)
	var last sample
	for range 100 {
		last = e.truth.now()
		if slices.Equal(last.voters, wanted) && len(last.healthy) == len(wanted) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if !slices.Equal(last.voters, wanted) || len(last.healthy) != len(wanted) {
		t.violate("the cluster is not what the program says", "members %v, voters %v, healthy %v", wanted, last.voters, last.healthy)
	}
	names := t.World.Names("Domain")
	if len(names) != len(wanted) {
		t.violate("machines are left behind", "%v", names)
	}
	if found := leaks.FindString(t.Export()); found != "" {
		t.violate("a secret in the state", "%s", found)
	}
}
