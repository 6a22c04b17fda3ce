package change

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	anns  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINuWPODVb6sDIAwVpfUIxi5MRqX97KlHaLmnTrenyL8D ann@example.org"
	bobs  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEQEgiTPrEHuz8PlwYN9KnPHb3rUaWb1RX4XbU1c2Y6d bob@example.org"
	ofAnn = "SHA256:luC9uNKHutvO8vnXIFNr7Hfl2oOv1hpbcY8apm2vB6Y"
	ofBob = "SHA256:N6DGonXbXxhM4TeiNSU4blI10O9+Rwdet62QFVXzQtU"
)

// TestIdentity has a machine stay the one it is while its key and its DNS servers change, and every key be known that
// it was given.
func TestIdentity(t *testing.T) {
	t.Parallel()
	made := IdentityArgs{"hash", "made", anns, "lan 10.0.0.1"}.after(IdentityState{})
	assert.Equal(t, "made", made.Identity, "as earlier releases named it")
	assert.Empty(t, made.FormerLogins)
	assert.False(t, made.ResolversChanged)

	key := IdentityArgs{"hash", "with Bob's key", bobs, "lan 10.0.0.1"}.after(made)
	assert.Equal(t, "made", key.Identity)
	assert.Equal(t, []string{ofAnn}, key.FormerLogins)
	assert.False(t, key.ResolversChanged)
	assert.Equal(t, key, IdentityArgs{"hash", "with Bob's key", bobs, "lan 10.0.0.1"}.after(key), "nothing changes")

	back := IdentityArgs{"hash", "made", anns, "lan 10.0.0.1"}.after(key)
	assert.Equal(t, []string{ofAnn, ofBob}, back.FormerLogins, "the machine may have either")

	dns := IdentityArgs{"hash", "with both", bobs, "lan 10.0.0.2"}.after(key)
	assert.Equal(t, "made", dns.Identity)
	assert.True(t, dns.ResolversChanged)
	assert.True(t, IdentityArgs{"hash", "with Bob's key", bobs, "lan 10.0.0.1"}.after(dns).ResolversChanged, "the machine may ask the others still")

	other := IdentityArgs{"other", "another machine", bobs, "lan 10.0.0.2"}.after(dns)
	assert.Equal(t, "another machine", other.Identity)
	assert.Equal(t, []string{ofAnn}, other.FormerLogins, "a root volume may be kept")
	assert.Equal(t, "made", IdentityArgs{"hash", "with both", bobs, "lan 10.0.0.2"}.after(other).Identity, "it is taken back")
}

// TestIdentityInPreview has nothing be named of what is not known yet.
func TestIdentityInPreview(t *testing.T) {
	t.Parallel()
	made := IdentityArgs{"hash", "made", anns, "lan"}.after(IdentityState{})
	assert.Equal(t, "made", IdentityArgs{"hash", "", "", "lan"}.after(made).Identity, "a key that is not known makes no other machine")
	assert.Empty(t, IdentityArgs{"", "", anns, "lan"}.after(made).Identity)
	assert.Empty(t, IdentityArgs{"other", "", anns, "lan"}.after(made).Identity)
}
