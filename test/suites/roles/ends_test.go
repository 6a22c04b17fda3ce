package roles

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestWarnsOfEnds has previews tell of a certificate that nothing renews.
func TestWarnsOfEnds(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: strings.Replace(etcdServer.program(t), "validityPeriodHours: 87600", "validityPeriodHours: 48", 1)})
	s.Up()
	assert.Contains(t, s.Preview().Diagnostics, "ca.cert: the certificate of CN=ca ends on ")
	s.Program(etcdServer.program(t))
	s.Up()
	assert.NotContains(t, s.Preview().Diagnostics, "ends on")
}
