package host

import "github.com/pulumi/pulumi-go-provider/infer"

var _ infer.Annotated = (*Software)(nil)

// AboutSoftware describes the input software.
const AboutSoftware = "When packages are brought up to date. With it nothing else does so: the distribution's automatic upgrades are off. Without it they are as the image has them. Not together with `installDependencies: false`."

// Annotate describes s.
func (s *Software) Annotate(a infer.Annotator) {
	a.SetToken("index", "Software")
	a.Describe(&s, "When packages are brought up to date: https://github.com/pulumi-quorum/pulumi-quorum/blob/main/docs/upgrade.md#patch-day")
	a.Describe(&s.AsOf, "The last patch day, like 2026-11-22, or a moment of it, like 2026-11-22T18:00:00Z. A later one has all packages upgraded to what the repositories have then; what runs the former ones restarts, and for a kernel or C library the machine. In a cluster one machine after the other, each drained first. An earlier one does nothing, as packages never go back; one in the future is refused.")
	a.Describe(&s.SecurityUpdates, "Whether unattended-upgrades installs security fixes between patch days, of packages other than those of the machine's services. It restarts no machine.")
	a.SetDefault(&s.SecurityUpdates, false)
}
