package change

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// ValidateChange refuses a data volume that would be smaller.
func (a MachineArgs) ValidateChange(before MachineArgs) []check.Problem {
	return smaller(before.settings(), a.settings())
}

// ValidateChange refuses data volumes that would be smaller.
func (a ClusterArgs) ValidateChange(before ClusterArgs) []check.Problem {
	return smaller(before.settings(), a.settings())
}

// smaller are sizes of data volumes that OpenStack refuses, halfway in the update: it extends a volume,
// and takes nothing from it. Of another type, or elsewhere, it is another volume.
func smaller(before, now settings) (l check.List) {
	differ := differing(before, now)
	for _, path := range differ {
		if !strings.HasSuffix(path, "openstack.dataVolume.size") || slices.ContainsFunc(differ, isAnother) {
			continue
		}
		was, notWas := strconv.Atoi(before.at(path).text)
		will, notWill := strconv.Atoi(now.at(path).text)
		if notWas == nil && notWill == nil && will < was {
			l.Add("settings", "%s: must be %d GiB or more, not %d: OpenStack makes no volume smaller", path, was, will).Shape()
		}
	}
	return l
}

// isAnother reports whether a volume of OpenStack is replaced where a setting differs.
func isAnother(path string) bool {
	return strings.HasSuffix(path, "openstack.dataVolume.type") || strings.HasSuffix(path, "openstack.dataVolume.availabilityZone")
}
