package explore

import (
	"fmt"
	"slices"
)

// fleet are the machines of a program. Their names and addresses are such that
// no other ever gets.
type fleet struct {
	machines []machine
	name     string // that theirs begin with
	subnet   string
	first    int // where their addresses begin
	most     int
	made     int // so far
	image    int
	owner    string // of the certificates
}

type machine struct {
	name, address, uri string
	vcpus              int
}

func (f fleet) of(size int) fleet {
	f.image, f.owner = 13, "quorum"
	for range size {
		f.machines = append(f.machines, f.another())
	}
	return f
}

func (f *fleet) another() machine {
	f.made++
	return machine{name: fmt.Sprintf("%s-%d", f.name, f.made), address: fmt.Sprintf("%s.%d", f.subnet, f.first+f.made), vcpus: 1}
}

// keep returns what takes the program p, whose machines f are, back to what it is now.
func keep[P any](p *P, f *fleet) (back func()) {
	was, machines := *p, slices.Clone(f.machines)
	return func() {
		made := f.made
		*p = was
		f.made, f.machines = made, machines
	}
}

// edits are the changes of any program.
var edits = map[string]func(f *fleet, at int) string{
	"nothing": func(*fleet, int) string { return "" },
	"a machine is rebuilt": func(f *fleet, at int) string {
		m := &f.machines[at%len(f.machines)]
		m.vcpus = 3 - m.vcpus
		return fmt.Sprintf("%s has %d vcpus", m.name, m.vcpus)
	},
	"a machine is removed": func(f *fleet, at int) string {
		if len(f.machines) == 1 {
			return ""
		}
		i := at % len(f.machines)
		name := f.machines[i].name
		f.machines = slices.Delete(slices.Clone(f.machines), i, i+1)
		return name + " is removed"
	},
	"a machine is added": func(f *fleet, _ int) string {
		if len(f.machines) >= f.most {
			return ""
		}
		m := f.another()
		f.machines = append(slices.Clone(f.machines), m)
		return m.name + " is added"
	},
	"a machine moves": func(f *fleet, at int) string {
		m := &f.machines[at%len(f.machines)]
		if m.uri = "qemu+ssh://b/system"; at%2 == 1 {
			m.uri = "qemu+ssh://c/system"
		}
		return m.name + " moves to " + m.uri
	},
	"the image": func(f *fleet, _ int) string {
		f.image = 27 - f.image
		return fmt.Sprintf("image debian-%d", f.image)
	},
	"the certificates": func(f *fleet, at int) string {
		f.owner = fmt.Sprintf("owner-%s%d", f.owner[len(f.owner)-1:], at)
		return "certificates of " + f.owner
	},
}
