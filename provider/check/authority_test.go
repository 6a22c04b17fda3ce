package check_test

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestAuthorityChange(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("..", "testdata", "pki", name))
		require.NoError(t, err)
		return string(b)
	}
	one, two := read("ca.crt"), read("other.crt")
	const first, still = "must be an authority that all machines already trust", "must not be the only trusted authority"
	for _, c := range []struct{ what, was, before, is, now, reason string }{
		{"nothing", one, one, one, one, ""},
		{"both come to be trusted", one, one, one, one + two, ""},
		{"the next one signs", one, one + two, two, two + one, ""},
		{"the last one goes", two, two + one, two, two, ""},
		{"all at once", one, one, two, two, first},
		{"trust and signature at once", one, one, two, two + one, first},
		{"the last one goes too early", one, one + two, two, two, still},
		{"unknown", one, one, "", "", ""},
		{"not said before", "", one, two, two, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			reason := check.AuthorityChange(now, c.was, c.before, c.is, c.now)
			if c.reason == "" {
				assert.Empty(t, reason)
			} else {
				assert.Contains(t, reason, c.reason)
			}
		})
	}
}

// TestAuthorityThatHasEnded has no gate wait for machines that nobody can know.
func TestAuthorityThatHasEnded(t *testing.T) {
	t.Parallel()
	old, next := issue(t, nil, func(c *x509.Certificate) { c.NotAfter = now.Add(-time.Minute) }), issue(t, nil, authority)
	for _, trusted := range []string{old.pem, old.pem + next.pem} {
		reason := check.AuthorityChange(now, old.pem, trusted, next.pem, trusted+next.pem)
		assert.Contains(t, reason, "must not replace an authority that has expired")
		assert.Contains(t, reason, "Set skipHealthChecks: true for one `pulumi up`")
	}
	assert.Empty(t, check.AuthorityChange(now, old.pem, old.pem, old.pem, old.pem))
}
