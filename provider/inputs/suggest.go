package inputs

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// suggest ends the message on an unknown name with those that are known, the
// one it is likely a slip of before them.
func suggest(name string, known []string) string {
	best := check.Nearest(name, known)
	list := "; it has " + strings.ReplaceAll(check.Or(known), " or ", " and ")
	if len(known) == 0 {
		list = "; it has no inputs"
	}
	if best == "" {
		return list
	}
	return "." + check.DidYouMean(best) + strings.Replace(list, "; it", " It", 1)
}
