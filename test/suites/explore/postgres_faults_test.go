package explore

import (
	"slices"
	"strings"
	"time"
)

func (p *postgresSubject) sick() bool { return len(p.hurt)+len(p.failing) > 0 }

func (p *postgresSubject) mend() {
	for name := range p.hurt {
		p.machines.Mend(name)
		p.etcd.Mend(name)
	}
	clear(p.hurt)
	for _, f := range p.failing {
		p.trial.World.Heal(f[0], f[1], f[2])
	}
	p.failing = nil
}

// node is the i-th that is there, and no other machine.
func (p *postgresSubject) node(i int) string {
	names := slices.DeleteFunc(p.trial.World.Names("Domain"), func(name string) bool { return !strings.HasPrefix(name, "postgres-") })
	if len(names) == 0 {
		return ""
	}
	return names[i%len(names)]
}

func (p *postgresSubject) fault(v event) string {
	name := p.node(v.At)
	if name == "" || p.hurt[name] != "" {
		return ""
	}
	switch v.What {
	case "off", "frozen":
		if !p.machines.Runs(name) {
			return ""
		}
		if p.hurt[name] = v.What; v.What == "off" {
			p.machines.Off(name)
		} else {
			p.machines.Freeze(name)
		}
	case "data lost":
		if !p.truth.look().safe(name) {
			return ""
		}
		for _, o := range p.trial.World.Of(name) {
			_ = p.trial.World.Take(o) // it may be going anyway
		}
		for end := time.Now().Add(time.Minute); p.machines.Runs(name) && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			// the next fault must not take it for one that has the data
		}
	case "etcd":
		name = etcdOfPostgres
		p.hurt[name] = "off"
		p.etcd.Off(name)
	case "libvirt":
		fails := failing(v.At, name)
		if slices.Contains(p.failing, fails) {
			return ""
		}
		p.trial.World.Fail(fails[0], fails[1], fails[2], "libvirt: connection lost")
		p.failing = append(p.failing, fails)
		return "libvirt fails to " + strings.Join(fails[:], " ")
	}
	return name + ": " + v.What
}

func (p *postgresSubject) meet(u up) string { return p.fault(event{u.Meets, u.At}) }
