package explore

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestShrinks has a sequence fail by one thing that is in it, and looks what is
// left of it.
func TestShrinks(t *testing.T) {
	t.Parallel()
	var ups atomic.Int64
	var last string
	for seed := 1; last == "" && seed < 100; seed++ {
		record(t, func(r *recorder) {
			one(r, seed, etcdChoices, func(r *recorder, s sequence) {
				if r.trial = (&trial{}); strings.Contains(s.String(), "fault: frozen") {
					last, r.trial.violation = s.String(), "it is frozen"
				}
			}, &ups)
		})
	}
	assert.Equal(t, "cluster of 3\nup \nfault: frozen (0)\nprogram: a machine is rebuilt (0)\nup \n", last)
}

// finds has something happen that must never be, and looks that it is found.
func (t *trial) finds(violation string, do func()) {
	func() {
		defer t.stop()
		do()
	}()
	assert.Equal(t.tb, violation, t.violation, t.report())
	t.violation, t.detail = "", ""
}

// judged has things happen to a cluster behind the product's back.
func judged(t *testing.T, size int, do func(*etcdSubject)) {
	t.Helper()
	ended := record(t, func(r *recorder) {
		runEtcdWith(r, sequence{Size: size}, func(e *etcdSubject) {
			e.trial.up(up{})
			do(e)
		})
	}).ended()
	assert.Empty(t, ended.violation, ended.report())
}

// TestJudges has what must never be happen.
func TestJudges(t *testing.T) {
	t.Parallel()
	judged(t, 3, func(e *etcdSubject) {
		trial := e.trial
		for said, violation := range map[string]string{
			"goroutine 7 [running]:\n": "a panic", "main-plan: stopped by a fault in the quorum package": "a panic", "password: root-password-of-test": "a secret in the output",
		} {
			trial.finds(violation, func() { trial.clean(engine.Result{Stdout: said}) })
		}
		trial.finds("an update that does not end", func() { trial.clean(trial.Try(time.Millisecond, "up")) })
		trial.Unlock()
		trial.finds("acknowledged writes are lost", func() {
			require.Eventually(trial.tb, func() bool { return e.writer.so() > 1 }, time.Minute, 50*time.Millisecond)
			err := e.writer.to.(etcdNumbers).Lose(trial.tb.Context(), 1)
			require.NoError(trial.tb, err)
			e.written(trial)
		})
		trial.finds("", func() { e.whole(trial) })
		trial.finds("machines are left behind", func() {
			other := hypervisor.Object{Host: trial.World.Objects()[0].Host, Kind: "domains", Type: "Domain", Name: "other"}
			require.NoError(trial.tb, trial.World.Put(other))
			defer func() { require.NoError(trial.tb, trial.World.Take(other)) }()
			e.whole(trial)
		})
		back := e.keep()
		e.edit(event{"a machine is added", 0})
		trial.finds("the cluster is not what the program says", func() { e.whole(trial) })
		back()
		e.fault(event{"off", 1})
		require.Eventually(trial.tb, func() bool { return len(e.truth.now().healthy) == 2 }, time.Minute, 50*time.Millisecond)
		trial.finds("a machine was touched that the others could not do without", func() { e.destroys(trial) })
		e.truth.see(4711)
		trial.finds("two clusters", func() { e.safe(trial, time.Now()) })
	})
	judged(t, 3, func(e *etcdSubject) {
		healthy := func(n int) {
			require.Eventually(e.trial.tb, func() bool { return len(e.truth.now().healthy) == n }, time.Minute, 50*time.Millisecond)
		}
		e.fault(event{"expired", 0})
		healthy(2)
		e.edit(event{"the certificates", 1}) // the fault stands, but that machine has another now
		e.trial.up(up{How: withRefresh})
		healthy(3)
	})
	judged(t, 2, func(e *etcdSubject) {
		began := time.Now().Add(-time.Hour)
		touched := func(name string, data bool) {
			e.allowed(e.trial, began, hypervisor.Event{Time: time.Now(), Op: "delete", Type: "Domain", Name: name}, name, data)
		}
		const machine, data = "a machine was touched that the others could not do without", "data were destroyed that the others could not do without"
		lasting := func() { time.Sleep(settles + time.Second) } // what was before allows nothing any more
		lasting()
		e.trial.finds("", func() { touched("etcd-2", false) })
		e.trial.finds(data, func() { touched("etcd-2", true) })
		e.fault(event{"off", 1})
		lasting()
		e.trial.finds("", func() { touched("etcd-2", false) }) // the only one that may bring the quorum back
		e.trial.finds(machine, func() { touched("etcd-1", false) })
		e.trial.finds(data, func() { touched("etcd-2", true) })
	})
	judged(t, 1, func(e *etcdSubject) {
		trial := e.trial
		trial.finds("updates always find something to change", func() {
			trial.subject = restless{e}
			defer func() { trial.subject = e }()
			trial.converge()
		})
		trial.finds("updates do not end well though no fault stands", func() {
			trial.World.Fail("create", "Domain", "etcd-2", "libvirt: connection lost")
			e.edit(event{"a machine is added", 0})
			trial.converge()
		})
		trial.finds("data were destroyed that the others could not do without", func() { e.destroys(trial) })
	})
}

// destroys takes everything away, which asks nobody.
func (e *etcdSubject) destroys(t *trial) {
	began := time.Now()
	r := t.Try(patient, "destroy")
	require.NoError(t.tb, r.Err, r.Diagnostics)
	defer t.World.Forget()
	e.safe(t, began)
}

// restless is a cluster whose program is never the same.
type restless struct{ *etcdSubject }

func (r restless) program(limit time.Duration) string {
	r.edit(event{"a setting", 0})
	return r.etcdSubject.program(limit)
}
