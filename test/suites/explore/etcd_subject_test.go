package explore

import (
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
)

// etcdSubject is an EtcdCluster, its machines and a client.
type etcdSubject struct {
	trial    *trial
	machines *etcdmachines.Machines
	truth    *truth
	now      etcdProgram
	writer   *writer

	lock      sync.Mutex
	addresses map[string]string // of all that ever were, by name
	hurt      map[string]string // what ails machines
	failing   [][3]string       // operations of libvirt
}

func runEtcd(r *recorder, s sequence) {
	runEtcdWith(r, s, func(e *etcdSubject) { e.trial.run(s) })
}

// runEtcdWith has something done with a cluster.
func runEtcdWith(r *recorder, s sequence, do func(*etcdSubject)) {
	subnet := loopback.Subnet(r)
	e := &etcdSubject{now: newEtcdProgram(subnet, s.Size), addresses: map[string]string{}, hurt: map[string]string{}}
	stack := engine.New(r, engine.Options{Program: e.program(patient)})
	e.trial = &trial{Stack: stack, tb: r, subject: e}
	r.trial = e.trial
	e.machines = etcdmachines.Run(r, stack.World)
	e.truth = watchEtcd(r, e.machines, e.address)
	defer e.trial.stop()
	do(e)
}

func (e *etcdSubject) program(limit time.Duration) string {
	e.lock.Lock()
	defer e.lock.Unlock()
	for _, m := range e.now.machines {
		e.addresses[m.name] = m.address
	}
	return e.now.text(limit)
}

func (e *etcdSubject) address(name string) string {
	e.lock.Lock()
	defer e.lock.Unlock()
	return e.addresses[name]
}

func (e *etcdSubject) ails(name, what string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if what == "" {
		delete(e.hurt, name)
	} else {
		e.hurt[name] = what
	}
}

func (e *etcdSubject) edit(v event) string {
	if change, of := edits[v.What]; of {
		return change(&e.now.fleet, v.At)
	}
	return etcdEdits[v.What](&e.now, v.At)
}

func (e *etcdSubject) keep() func() { return keep(&e.now, &e.now.fleet) }

func (e *etcdSubject) sick() bool { return len(e.hurt)+len(e.failing) > 0 }

// mend ends all faults.
func (e *etcdSubject) mend() {
	for name := range e.hurt {
		e.machines.Mend(name)
	}
	e.machines.Renew()
	for name, what := range maps.Clone(e.hurt) {
		if what == "full" {
			e.unfill()
		}
		e.ails(name, "")
	}
	for _, f := range e.failing {
		e.trial.World.Heal(f[0], f[1], f[2])
	}
	e.failing = nil
}

// written checks that what was acknowledged is there, when somebody can tell.
func (e *etcdSubject) written(t *trial) {
	if e.writer == nil {
		e.write()
	} else if e.quorate() {
		e.writer.check(t)
	}
}

func (e *etcdSubject) quorate() bool {
	s := e.truth.now()
	return len(s.voters) > 0 && len(s.healthy) >= quorum(len(s.voters))
}

func (e *etcdSubject) told(r engine.Result) string { return machinesOf(r) }

// machinesOf is what happened to machines.
func machinesOf(r engine.Result) string {
	var all []string
	for _, op := range r.Ops("Domain") {
		if !strings.HasPrefix(op, "replace ") {
			all = append(all, strings.ReplaceAll(strings.TrimSuffix(op, "-domain"), "main-", ""))
		}
	}
	return strings.Join(all, ", ")
}
