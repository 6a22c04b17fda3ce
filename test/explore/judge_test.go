package explore

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	assert.Equal(t, "cluster of 3\nup \nfault: frozen (0)\nprogram: a member is rebuilt (0)\nup \n", last)
}

// TestJudges has what must never be happen, behind the product's back.
func TestJudges(t *testing.T) {
	t.Parallel()
	violations := func(do func(*etcdSubject)) string {
		t.Helper()
		return record(t, func(r *recorder) {
			runEtcdWith(r, sequence{Size: 3}, func(e *etcdSubject) {
				e.trial.up(up{})
				do(e)
			})
		}).ended().violation
	}
	assert.Equal(t, "acknowledged writes are lost", violations(func(e *etcdSubject) {
		time.Sleep(time.Second)
		_, err := e.writer.to.(etcdKeys).client.Delete(e.trial.tb.Context(), key(1))
		require.NoError(e.trial.tb, err)
		e.written(e.trial)
	}))
	assert.Equal(t, "a machine was touched that the others could not do without", violations(func(e *etcdSubject) {
		e.fault(event{"off", 1})
		require.Eventually(e.trial.tb, func() bool { return len(e.truth.now().healthy) == 2 }, time.Minute, 50*time.Millisecond)
		began := time.Now()
		require.NoError(e.trial.tb, e.trial.Try(patient, "destroy", "--target", "**etcd-1-domain", "--target-dependents").Err)
		e.safe(e.trial, began)
	}))
}
