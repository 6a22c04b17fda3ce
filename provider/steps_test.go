package provider

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// stepTypes are the types of what a cluster's update goes through one after the other.
var stepTypes = []string{"EtcdRecovery", "EtcdHealth", "EtcdMember", "PostgresHealth", "Domain", "Instance"}

// steps are the gates and machines of a cluster in the order in which they come,
// and then what comes beside them, each with those among them that it depends on.
func (w *world) steps() string {
	kind := func(token string) string { return token[strings.LastIndex(token, ":")+1:] }
	var steps, beside []string
	for _, child := range w.order {
		gate := slices.Contains(stepTypes, kind(child.TypeToken))
		own := child.Custom && strings.HasPrefix(child.TypeToken, "quorum:")
		if !gate && !own {
			continue
		}
		text := kind(child.TypeToken) + " " + child.Name
		var needs []string
		for _, needed := range child.RegisterRPC.GetDependencies() {
			urn := resource.URN(needed)
			if t := string(urn.Type()); kind(t) == "Domain" || kind(t) == "Instance" || strings.HasPrefix(t, "quorum:") && w.children[urn.Name()+" ("+t+")"].Custom {
				needs = append(needs, kind(t)+" "+urn.Name())
			}
		}
		if slices.Sort(needs); len(needs) > 0 {
			text += "\n  needs " + strings.Join(slices.Compact(needs), ", ")
		}
		if gate {
			steps = append(steps, text+"\n")
		} else {
			beside = append(beside, text+"\n")
		}
	}
	slices.Sort(beside)
	return strings.Join(steps, "") + "beside:\n" + strings.Join(beside, "")
}
