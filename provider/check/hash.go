package check

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is a short name for a text.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}
