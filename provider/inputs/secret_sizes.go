package inputs

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

var (
	sizeGiven = regexp.MustCompile(`^\s*([0-9]\w*?|[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([kKMGT]?)i?B?\s*$`)
	bytesSaid = regexp.MustCompile(`\b[0-9]+(\.[0-9])? (bytes|KiB|MiB|GiB)\b`) // as check.Bytes writes them
)

// redactSizes takes out of a message what is a secret in another unit: 1536MB is told as 1.5 GiB.
func (s secrets) redactSizes(message string) string {
	if !bytesSaid.MatchString(message) {
		return message
	}
	hidden := map[string]bool{}
	for _, secret := range s {
		for _, bytes := range sizes(secret) {
			hidden[check.Bytes(bytes)] = true
		}
	}
	return bytesSaid.ReplaceAllStringFunc(message, func(text string) string {
		if hidden[text] {
			return "[secret]"
		}
		return text
	})
}

// sizes are what a text may be in bytes. A number alone may count any unit: bytes, kB, blocks of
// PostgreSQL, and so on.
func sizes(text string) (all []int) {
	found := sizeGiven.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if whole, failed := strconv.ParseInt(found[1], 0, 64); failed == nil {
		n, err = float64(whole), nil
	}
	scales := []float64{1, 1 << 10, 8 << 10, 1 << 20, 1 << 30, 1 << 40}
	if power := strings.Index("KMGT", strings.ToUpper(found[2])); found[2] != "" {
		scales = []float64{math.Pow(1<<10, float64(power+1))}
	}
	for _, scale := range scales {
		if bytes := n * scale; err == nil && bytes > 0 && bytes < 1<<60 {
			all = append(all, int(bytes))
		}
	}
	return all
}
