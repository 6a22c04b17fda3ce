// Package version has the version of the package. It is part of the source, since
// the CLI builds a plugin from source without linker flags.
package version

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var text string

// String is the version, like 1.2.3.
func String() string { return strings.TrimSpace(text) }
