package change

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Machine)(nil)
	_ infer.Annotated = (*MachineArgs)(nil)
)

// Annotate describes m.
func (m *Machine) Annotate(a infer.Annotator) {
	a.SetToken("index", "MachineChange")
	a.Describe(&m, "Says in previews, and in updates, what a change does to a machine that runs: `rebuild`, `restart` or `live`, and of what. Each server has one among its children. It does nothing by itself.")
}

// Annotate describes a.
func (m *MachineArgs) Annotate(a infer.Annotator) {
	a.Describe(&m.Effects, "What may happen to the machine, in words, and a text for each that changes when it does.")
}
