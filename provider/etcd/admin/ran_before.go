package admin

import (
	"maps"
	"strings"
)

// machineTrigger is the trigger of a place with the id of its machine, and machinesTrigger that of the last gate with
// the ids of all.
const (
	machineTrigger  = "machine"
	machinesTrigger = "machines"
)

// ranBefore reports whether a member is known to have run on the machine that it has now. A gate before a change waits
// for machines as they are; another one is told which machine is another since it passed last.
func (a HealthArgs) ranBefore(name string, before *HealthState) bool {
	if before == nil || before.MemberIDs[name] == "" {
		return false
	}
	was, is := before.Triggers[machinesTrigger], a.Triggers[machinesTrigger]
	switch {
	case *a.Require == Quorum || a.Without != nil:
		return before.Triggers[machineTrigger] == a.Triggers[machineTrigger]
	case is != "":
		id := machineIn(is, name)
		return id != "" && id == machineIn(was, name)
	}
	return len(a.Triggers) > 0 && maps.Equal(before.Triggers, a.Triggers)
}

// machineIn is the id of a machine in that trigger, which is a map as fmt has it.
func machineIn(trigger, name string) string {
	for machine := range strings.FieldsSeq(strings.TrimSuffix(strings.TrimPrefix(trigger, "map["), "]")) {
		if id, is := strings.CutPrefix(machine, name+":"); is {
			return id
		}
	}
	return ""
}

// ranBefore reports whether the member was in the cluster on the machine that it has now.
func (m MemberState) ranBefore(before *MemberState) bool {
	if before == nil || before.MemberID == "" {
		return false
	}
	if id := m.Triggers[machineTrigger]; id != "" {
		return id == before.Triggers[machineTrigger]
	}
	return len(m.Triggers) > 0 && maps.Equal(before.Triggers, m.Triggers)
}

// unknown is for waits that are told nothing of machines that changed.
func unknown(string) bool { return false }
