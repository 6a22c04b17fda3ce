package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestRealTLSAgreesWithFake hands a stack over from one plugin to the other.
func TestRealTLSAgreesWithFake(t *testing.T) {
	t.Parallel()
	for name, plugins := range map[string][2]engine.Plugin{
		"fake to real": {engine.FakeTLS, engine.RealTLS},
		"real to fake": {engine.RealTLS, engine.FakeTLS},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Plugins: plugins[:1], Program: certificates})
			s.Up()
			s.Plugins(plugins[1])
			preview := s.Preview("--diff")
			for _, typ := range []string{"PrivateKey", "CertRequest", "Cert"} {
				assert.Empty(t, preview.Ops(typ), preview.Stdout)
			}
		})
	}
}
