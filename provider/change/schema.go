package change

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Machine)(nil)
	_ infer.Annotated = (*MachineArgs)(nil)
)

// Annotate describes m.
func (m *Machine) Annotate(a infer.Annotator) {
	a.SetToken("index", "MachineChange")
	a.Describe(&m, "Shows in previews and updates what a change does to a running machine: `rebuild` (a machine or disk is replaced), `restart` (of a service or the machine) or `live` (no interruption). Each server has one as a child. It changes nothing itself.")
}

// Annotate describes a.
func (m *MachineArgs) Annotate(a infer.Annotator) {
	a.Describe(&m.Effects, "Possible effects on the machine, each with a text that changes when the effect occurs.")
}
