package explore

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// refusals are how a program is refused that asks for too much: the operator
// takes it back.
var refusals = regexp.MustCompile(`[^\n]*(must not be|must keep (?:at least one of|the address)|its data would be lost with it|must be a 3\.\d+ release first|at most \d+ of \d+ members may|this change (?:deletes|leaves behind) the data of|would start a second cluster|must be false with a single node)[^\n]*`)

func refused(r engine.Result) bool { return r.Err != nil && refusals.MatchString(r.Diagnostics) }

// arguments are those of an update.
func (t *trial) arguments(u up) []string {
	switch u.How {
	case "":
		return nil
	case withRefresh:
		return []string{"--refresh"}
	}
	name := t.machine(u.At)
	if name == "" {
		return nil
	}
	return []string{u.How, "**" + name + "-domain"}
}

// machine is the i-th of those that are there.
func (t *trial) machine(i int) string {
	names := t.World.Names("Domain")
	if len(names) == 0 {
		return ""
	}
	return names[i%len(names)]
}

// deletions are those that were done, each with the time at which it began: what allowed
// it was asked before that, however long it took then.
func deletions(events []hypervisor.Event) (all []hypervisor.Event) {
	begun := map[string]time.Time{}
	for _, e := range events {
		switch what := e.Type + " " + e.Name + " " + e.Host; {
		case e.Op == "delete" && e.Phase == "begin":
			begun[what] = e.Time
		case e.Op == "delete" && e.Phase == "end":
			if at, has := begun[what]; has {
				e.Time = at
			}
			all = append(all, e)
		}
	}
	return all
}

// tidy is what an operator does after an update that failed, as the documents
// say: the lock goes, and so do things that the state knows nothing of.
func (t *trial) tidy(r engine.Result, met string) {
	if met == killAll {
		t.Unlock()
	}
	if strings.Contains(r.Stdout+r.Stderr, spoiled) {
		_, said, err := t.Run("state", "repair", "--yes")
		t.tell("  the state is repaired, since the engine refuses what it wrote (%v) %s", err, said)
	}
	known := t.known()
	for _, o := range t.World.Objects() {
		if o.Kind == "domains" || o.Kind == "volumes" {
			if !known[where(o.Host, o.ID)] {
				t.tell("  %s %s on %s is not in the state, and is deleted by hand", o.Type, o.Name, o.Host)
				require.NoError(t.tb, t.World.Take(o))
			}
		}
	}
}

func where(host, id string) string { return host + " " + id }

// known are the things in the state by their hosts and ids.
func (t *trial) known() map[string]bool {
	resources := t.Deployment().Resources
	hosts, known := map[string]string{}, map[string]bool{}
	for _, r := range resources {
		if strings.HasPrefix(string(r.Type), "pulumi:providers:libvirt") {
			uri, _ := r.Inputs["uri"].(string)
			hosts[string(r.URN)+"::"+string(r.ID)] = uri
		}
	}
	for _, r := range resources {
		if r.PendingReplacement { // it was deleted: what is there was made since
			continue
		}
		host := hosts[r.Provider]
		if host == "" {
			host = "default"
		}
		known[where(host, string(r.ID))] = true
	}
	return known
}

// secrets are outputs in the state by the names of their resources, in clear.
func (t *trial) secrets() func(name, output string) string {
	var export struct {
		Deployment apitype.DeploymentV3 `json:"deployment"`
	}
	text, _, err := t.Run("stack", "export", "--show-secrets")
	if err == nil {
		err = json.Unmarshal([]byte(text), &export)
	}
	return func(name, output string) (text string) {
		for _, r := range export.Deployment.Resources {
			if err != nil || r.URN.Name() != name || r.Delete || r.Outputs[output] == nil {
				continue
			}
			if secret, is := r.Outputs[output].(map[string]any); is {
				plain, _ := secret["plaintext"].(string)
				_ = json.Unmarshal([]byte(plain), &text)
				return text
			}
			text, _ = r.Outputs[output].(string)
			return text
		}
		return ""
	}
}
