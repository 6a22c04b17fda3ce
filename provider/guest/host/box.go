package host

import (
	_ "embed"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// Box is what a service needs. The rest systemd keeps from it:
// https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#Sandboxing
// RemoveIPC is not set: it removes the shared memory of all services of the user, such as
// PostgreSQL's when patroni-settings ends.
type Box struct {
	Unit          string
	Writes        []string // directories, beside those that systemd makes for it
	Capabilities  []string
	GeneratesCode bool // as just-in-time compilers do
	Devices       bool // of its own: /dev/watchdog, which ProtectClock of older systemds denies too
	NoNetwork     bool
	Programs      []string // where programs and libraries are that it may run and load; any, if there are none
	Outlived      bool     // by programs that it started, as Patroni by PostgreSQL: no PrivateTmp, ProtectSystem=full, and @privileged
	OOMScore      int      // below 0, the kernel ends others first when memory runs out
}

//go:embed box/box.conf.tmpl
var boxText string

var boxTemplate = template.Must(template.New("box").Funcs(template.FuncMap{"join": func(words []string) string { return strings.Join(words, " ") }}).Parse(boxText))

// File is the box as a part of the unit.
func (b Box) File() guest.File {
	var text strings.Builder
	if err := boxTemplate.Execute(&text, b); err != nil {
		panic(err) // it takes any box
	}
	return guest.Unit(b.Unit+".d/quorum-box.conf", text.String())
}
