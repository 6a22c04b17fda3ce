package host

import (
	_ "embed"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

//go:embed start/own-data
var ownData string

const ownDataPath = "/usr/local/lib/quorum/own-data"

// Data is a directory on a data volume, and the service's user that it belongs to.
type Data struct{ User, Volume, Directory string }

// Files are what Own needs.
func (d Data) Files() []guest.File { return []guest.File{guest.Program(ownDataPath, ownData)} }

// Own is the command that gives the data to the user, whose number may be
// another than on the machine that wrote it.
func (d Data) Own() []string { return []string{ownDataPath, d.User, d.Volume, d.Directory} }

// OwnLine is Own as a unit has it.
func (d Data) OwnLine() string { return strings.Join(d.Own(), " ") }
