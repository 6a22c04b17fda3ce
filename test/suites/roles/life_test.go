package roles

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestLife takes a machine of each role through its life. Each change does what
// preview says, and what its role says of it.
func TestLife(t *testing.T) {
	t.Parallel()
	for _, r := range []role{etcdServer, postgresServer, corednsServer, postgresLoadBalancer} {
		t.Run(r.kind, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Program: r.program(t, r.bad)})
			r.isRefused(t, s)
			s.Program(r.program(t))
			hides(t, s.Up())
			assert.True(t, s.Up().Unchanged())
			r.isChanged(t, s)
			s.World.Advance(340 * 24 * time.Hour) // of a certificate's 365
			assert.Equal(t, r.renewal, s.Preview().Changed())
			assert.Equal(t, r.renewal, s.Up().Changed())
			assert.True(t, s.Up().Unchanged())
			hidden(t, s.Export())
			s.Destroy()
			assert.Empty(t, s.World.Objects(), "nothing is left behind")
		})
	}
}

// isRefused has bad inputs fail in preview as in up, and make nothing.
func (r role) isRefused(t *testing.T, s *engine.Stack) {
	t.Helper()
	for _, result := range []engine.Result{s.PreviewFails(), s.UpFails()} {
		for _, reason := range r.reasons {
			assert.Contains(t, result.Diagnostics, reason)
		}
		hides(t, result)
	}
	assert.Empty(t, s.World.Names("Domain"))
	assert.Empty(t, s.World.Names("CloudInitDisk"))
}

func (r role) isChanged(t *testing.T, s *engine.Stack) {
	t.Helper()
	var inputs []string
	for _, c := range r.changes {
		inputs = append(inputs, c.inputs)
		s.Program(r.program(t, inputs...))
		preview, up := s.Preview("--diff"), s.Up()
		assert.Equal(t, c.want, preview.Changed(), "preview of %s", c.what)
		assert.Equal(t, c.want, up.Changed(), "up of %s", c.what)
		assert.Contains(t, preview.Diagnostics, c.says, "preview of %s", c.what)
		if c.want == resigned {
			assert.NotContains(t, preview.Diagnostics, "restart: ", "preview of %s", c.what)
		}
		hides(t, preview)
		hides(t, up)
	}
}

func hides(t *testing.T, r engine.Result) {
	t.Helper()
	hidden(t, r.Stdout+r.Stderr)
}

// hidden wants a text to tell no secret, nor user data, where the state is
// compressed.
func hidden(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{hush, "PRIVATE KEY", "quorum-apply --first-boot", "#cloud-config"} {
		assert.NotContains(t, text, secret)
	}
}
