package change

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// ValidateChange refuses a data volume of OpenStack that would be smaller, which is refused there halfway in the
// update: what this keeps of the machine's own volume was true when that was as large. Of another type, or
// elsewhere, it is another volume.
func (a MachineArgs) ValidateChange(before MachineArgs) []check.Problem {
	var l check.List
	was, is, are := guest.Sizes(before.Effects[guest.MoreRoom], a.Effects[guest.MoreRoom])
	if are && is < was && before.Effects[guest.DataAnew] == a.Effects[guest.DataAnew] {
		l.Add("effects", "openstack.dataVolume.size of %s must be %d GiB or more, not %d: OpenStack makes no volume smaller", a.name("the machine"), was, is).Shape()
	}
	return l
}
