package explore

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// etcdFaults are what befalls a cluster.
var etcdFaults = map[string]func(e *etcdSubject, name string, at int) string{
	"off": func(e *etcdSubject, name string, _ int) string {
		e.ails(name, "off")
		e.machines.Off(name)
		return name + " is off"
	},
	"frozen": func(e *etcdSubject, name string, _ int) string {
		e.ails(name, "frozen")
		e.machines.Freeze(name)
		return name + " accepts connections and never answers"
	},
	"data lost": (*etcdSubject).loseData,
	"expired":   (*etcdSubject).expire,
	"full":      (*etcdSubject).fill,
	"leader":    (*etcdSubject).lead,
	"libvirt":   (*etcdSubject).failLibvirt,
}

func (e *etcdSubject) fault(v event) string {
	name := e.trial.machine(v.At)
	if name == "" || e.hurt[name] != "" {
		return ""
	}
	return etcdFaults[v.What](e, name, v.At)
}

// meet are the faults that come in the middle of an update.
func (e *etcdSubject) meet(u up) string {
	return e.fault(event{u.Meets, u.At})
}

// loseData has a machine go with its data, unless the others could not do
// without them.
func (e *etcdSubject) loseData(name string, _ int) string {
	s, address := e.truth.now(), e.address(name)
	kept := 0
	for _, voter := range s.healthy {
		if voter != address {
			kept++
		}
	}
	if kept < quorum(len(s.voters)) || len(s.voters) == 0 {
		return ""
	}
	for _, o := range e.trial.World.Of(name) {
		_ = e.trial.World.Take(o) // it may be going anyway
	}
	for end := time.Now().Add(10 * time.Second); e.machines.Statuses()[name].ID != 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond) // or the next fault takes it for one that is healthy
	}
	return name + " is gone with its data"
}

// expire has a machine boot with a certificate that is over.
func (e *etcdSubject) expire(name string, _ int) string {
	e.ails(name, "expired")
	cert, key := e.authority()
	if cert == nil {
		e.ails(name, "")
		return ""
	}
	e.machines.Expire(name, func(good string) string {
		block, _ := pem.Decode([]byte(good))
		leaf, err := x509.ParseCertificate(block.Bytes)
		require.NoError(e.trial.tb, err)
		leaf.SerialNumber, leaf.NotBefore, leaf.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, leaf, cert, leaf.PublicKey, key)
		require.NoError(e.trial.tb, err)
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	})
	return "the certificate of " + name + " is expired, and it boots"
}

// authority is the one in the state.
func (e *etcdSubject) authority() (*x509.Certificate, *ecdsa.PrivateKey) {
	outputs := e.trial.secrets()
	decode := func(text string) []byte {
		if block, _ := pem.Decode([]byte(text)); block != nil {
			return block.Bytes
		}
		return nil
	}
	cert, err := x509.ParseCertificate(decode(outputs("main-ca", "certPem")))
	if err != nil {
		return nil, nil
	}
	key, err := x509.ParseECPrivateKey(decode(outputs("main-ca-key", "privateKeyPem")))
	if err != nil {
		return nil, nil
	}
	return cert, key
}

func (e *etcdSubject) fill(name string, _ int) string {
	ctx, cancel := context.WithTimeout(e.trial.tb.Context(), 5*time.Second)
	defer cancel()
	if e.machines.Full(ctx, name, true) != nil {
		return ""
	}
	e.ails(name, "full")
	return name + " has no space left"
}

// unfill lowers all alarms again, when a quorum takes that.
func (e *etcdSubject) unfill() {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		raised := false
		for name, s := range e.machines.Statuses() {
			if s.Alarms > 0 {
				raised = true
				ctx, cancel := context.WithTimeout(e.trial.tb.Context(), 2*time.Second)
				_ = e.machines.Full(ctx, name, false) // it may be another's
				cancel()
			}
		}
		if !raised {
			return
		}
	}
}

func (e *etcdSubject) lead(name string, _ int) string {
	ctx, cancel := context.WithTimeout(e.trial.tb.Context(), 5*time.Second)
	defer cancel()
	if e.machines.Lead(ctx, name) != nil {
		return ""
	}
	return name + " leads"
}

// libvirtOperations are those that fail.
var libvirtOperations = [][2]string{
	{"delete", "Domain"}, {"create", "Domain"}, {"update", "Domain"}, {"create", "CloudInitDisk"}, {"create", "Volume"}, {"delete", "Volume"}, {"start", "Domain"}, {"create", root},
}

const root = "root volume"

// failing is the i-th of them, of a machine.
func failing(i int, machine string) [3]string {
	o := libvirtOperations[i%len(libvirtOperations)]
	switch o[1] {
	case "Volume":
		return [3]string{o[0], o[1], machine + "-data.qcow2"}
	case root:
		return [3]string{o[0], "Volume", machine + ".qcow2"}
	case "CloudInitDisk":
		return [3]string{o[0], o[1], "main-" + machine + "-cloud-init"}
	}
	return [3]string{o[0], o[1], machine}
}

func (e *etcdSubject) failLibvirt(name string, at int) string {
	i := slices.IndexFunc(e.now.machines, func(m machine) bool { return m.name == name })
	if last := e.now.machines[len(e.now.machines)-1].name; i < 0 || at%2 == 1 {
		name = last // which may be yet to be made
	}
	fails := failing(at, name)
	if slices.Contains(e.failing, fails) {
		return ""
	}
	e.trial.World.Fail(fails[0], fails[1], fails[2], "libvirt: connection lost")
	e.failing = append(e.failing, fails)
	return "libvirt fails to " + strings.Join(fails[:], " ")
}
