package change

import (
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// aCertificate begins what is said of one.
const aCertificate = "certificate ("

// readable is a value as a person reads it: a size in bytes in larger units too, certificates
// of a list without quotes.
func readable(path string, v value) value {
	if v.secret {
		return v
	}
	if n, err := strconv.Atoi(v.text); err == nil && n > 1<<20 && (strings.HasSuffix(path, "olume.size") || strings.HasSuffix(path, ".spaceQuota")) {
		v.text += " (" + check.Bytes(n) + ")"
	}
	if strings.HasPrefix(v.text, "[") {
		v.text = strings.NewReplacer(`"`+aCertificate, aCertificate, `)"`, ")").Replace(v.text)
	}
	return v
}
