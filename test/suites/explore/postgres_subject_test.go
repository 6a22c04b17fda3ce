package explore

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/postgresmachines"
)

// postgresSubject is a PostgresCluster on an etcd of its own, and a client.
type postgresSubject struct {
	trial    *trial
	etcd     *etcdmachines.Machines
	machines *postgresmachines.Machines
	truth    *postgresTruth
	now      postgresProgram
	writer   *writer
	hurt     map[string]string
	failing  [][3]string
	there    []string // machines before the update

	lock      sync.Mutex
	addresses map[string]string
}

func runPostgres(r *recorder, s sequence) {
	p := &postgresSubject{now: newPostgresProgram(loopback.Subnet(r), s.Size), addresses: map[string]string{}, hurt: map[string]string{}}
	stack := engine.New(r, engine.Options{Program: p.program(patient)})
	p.trial = &trial{Stack: stack, tb: r, subject: p}
	r.trial = p.trial
	p.etcd = etcdmachines.Run(r, stack.World)
	p.etcd.Apart()
	p.machines = postgresmachines.Run(r, stack.World)
	p.truth = watchPostgres(r, func() map[string]string {
		p.lock.Lock()
		defer p.lock.Unlock()
		all := map[string]string{}
		for name, address := range p.addresses {
			all[name] = address
		}
		return all
	})
	defer p.trial.stop()
	p.trial.run(s)
}

func (p *postgresSubject) program(limit time.Duration) string {
	if p.trial != nil {
		p.there = p.trial.World.Names("Domain")
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, n := range p.now.machines {
		p.addresses[n.name] = n.address
	}
	return p.now.text(limit)
}

func (p *postgresSubject) edit(v event) string {
	if change, of := edits[v.What]; of {
		return change(&p.now.fleet, v.At)
	}
	return postgresEdits[v.What](&p.now, v.At)
}

func (p *postgresSubject) keep() func() { return keep(&p.now, &p.now.fleet) }

// safe checks what the update did to nodes and their data.
func (p *postgresSubject) safe(t *trial, began time.Time) {
	for _, event := range deletions(t.World.Events()) {
		name, data := strings.CutSuffix(event.Name, "-data.qcow2")
		if !strings.HasPrefix(name, "postgres-") || event.Type != "Domain" && !data {
			continue
		}
		ok, at := p.truth.allows(began, event.Time, func(s postgresSample) bool {
			alone := !slices.ContainsFunc(p.there, func(other string) bool { return other != name && s.members[other] })
			return !s.members[name] || alone && !data || s.safe(name)
		})
		if !ok {
			what := "a machine was touched that the others could not do without"
			if data {
				what = "data were destroyed that the others could not do without"
			}
			t.violate(what, "%s at %s; then were healthy %v", event, event.Time.Sub(began), at.healthy)
		}
	}
	t.World.Forget()
	if all := p.truth.databases(); len(all) > 1 {
		t.violate("two databases", "%v", all)
	}
}

func (p *postgresSubject) written(t *trial) {
	if p.truth.client.Load() == nil {
		outputs := t.secrets()
		p.truth.identify(outputs("main-client-cert", "certPem"), outputs("main-client-key", "privateKeyPem"))
	}
	if p.writer == nil {
		p.write()
	} else if p.able() {
		p.writer.check(t)
	}
}

// able tells whether a node leads, and has who it needs to acknowledge.
func (p *postgresSubject) able() bool {
	s := p.truth.look()
	return s.leader() && !p.sick()
}

func (p *postgresSubject) whole(t *trial) {
	var last postgresSample
	for range 100 {
		if last = p.truth.look(); len(last.healthy) == len(p.now.machines) && last.leader() {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	for _, n := range p.now.machines {
		if last.healthy[n.name] == "" {
			t.violate("the cluster is not what the program says", "%s is not healthy, of %v", n.name, last.healthy)
		}
	}
	if names := t.World.Names("Domain"); len(names) != len(p.now.machines)+2 {
		t.violate("machines are left behind", "%v", names)
	}
	if found := leaks.FindString(t.Export()); found != "" {
		t.violate("a secret in the state", "%s", found)
	}
}

func (p *postgresSubject) told(r engine.Result) string { return machinesOf(r) }
