package host

import (
	_ "embed"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// ClockUnit has those that want it, and come after it, wait for a synchronised
// clock, for a bounded time.
const ClockUnit = "quorum-clock.service"

//go:embed start/wait-for-clock
var waitForClock string

//go:embed start/quorum-clock.service
var clockUnit string

// ClockFiles are what the unit needs. No state starts it: services do.
func ClockFiles() []guest.File {
	return []guest.File{guest.Program("/usr/local/lib/quorum/wait-for-clock", waitForClock), guest.Unit(ClockUnit, guest.Terse(clockUnit))}
}
