package roles

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
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
		if strings.Contains(c.want, "DataGuard") {
			r.losesNothingUnasked(t, s, c.what)
			s.Program(r.program(t, inputs[:len(inputs)-1]...))
			s.Up()
			assert.Empty(t, s.World.Events(), "what was refused, and is taken back, touches nothing")
			s.Program(r.program(t, append(inputs, "allowDataLoss: true")...))
		}
		preview, up := s.Preview("--diff"), s.Up()
		assert.Equal(t, c.want, preview.Changed(), "preview of %s", c.what)
		assert.Equal(t, c.want, up.Changed(), "up of %s", c.what)
		assert.Contains(t, preview.Diagnostics, c.says, "preview of %s", c.what)
		if c.want == resigned {
			assert.NotContains(t, preview.Diagnostics, "restart: ", "preview of %s", c.what)
		}
		previews.Reads(t, r.file(c.what), "10.77.0", preview)
		hides(t, preview)
		hides(t, up)
		if strings.Contains(c.want, "DataGuard") {
			loss := "deleted by this update: those of one (its root volume in the pool default: it has no data volume)"
			if c.want == addedEmpty {
				loss = "left behind by this update: those of one (its root volume in the pool default, where the new data volume hides them until the machine is rebuilt)"
			}
			assert.Contains(t, preview.Diagnostics, "warning: data are "+loss+", and no other machine is known to have them")
			s.Program(r.program(t, inputs...))
			assert.Equal(t, "update DataGuard, update MachineChange", s.Up().Changed(), "the word alone touches no machine")
		}
	}
}

// losesNothingUnasked has a change that costs data be refused before anything happens.
func (r role) losesNothingUnasked(t *testing.T, s *engine.Stack, what string) {
	t.Helper()
	s.World.Forget()
	preview := s.PreviewFails()
	previews.Reads(t, r.file(what+" refused"), "10.77.0", preview)
	for _, result := range []engine.Result{preview, s.UpFails()} {
		assert.Contains(t, result.Diagnostics, " the data of one (its root volume in the pool default")
		assert.Contains(t, result.Diagnostics, "): no other machine is known to have them. Take it back, or allow the loss with allowDataLoss: true")
	}
	assert.Empty(t, s.World.Events())
}

// file is what a preview of a change is compared with.
func (r role) file(what string) string {
	return r.kind + "/" + strings.NewReplacer(" ", "-", "'", "").Replace(what)
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
