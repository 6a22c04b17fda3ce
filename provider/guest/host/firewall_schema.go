package host

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated      = (*Firewall)(nil)
	_ infer.Annotated      = (*AdditionalPort)(nil)
	_ infer.Enum[Protocol] = Protocol("")
)

// Annotate describes f.
func (f *Firewall) Annotate(a infer.Annotator) {
	a.SetToken("index", "Firewall")
	a.Describe(&f, "The firewall of a machine: a table of nftables called `quorum`, for what comes in. All ports are closed but those of the machine's services. Changes leave open connections alone.")
	a.Describe(&f.Enabled, "Whether there is a firewall. With false the table is removed, and what listens can be reached.")
	a.SetDefault(&f.Enabled, true)
	a.Describe(&f.AllowedNetworks, "Networks and addresses from which a service can be reached, each as 10.0.0.0/24, 10.0.0.7 or 2001:db8::/64, by service. A service that is not listed can be reached from everywhere, one with an empty list from nowhere. Machines of the same cluster that need a service must be in its list. There is a warning if the host that runs Pulumi is not, where updates connect to the service.")
	a.Describe(&f.AdditionalPorts, "Ports of services that you have put on the machine yourself.")
}

// Annotate describes p.
func (p *AdditionalPort) Annotate(a infer.Annotator) {
	a.SetToken("index", "FirewallPort")
	a.Describe(&p, "A port of a service that you have put on the machine yourself.")
	a.Describe(&p.Port, "The port, from 1 to 65535.")
	a.Describe(&p.Protocol, "`tcp` or `udp`.")
	a.SetDefault(&p.Protocol, TCP)
	a.Describe(&p.Networks, "Networks and addresses from which it can be reached. Without them, from everywhere.")
}

// Values lists the protocols.
func (Protocol) Values() []infer.EnumValue[Protocol] {
	return []infer.EnumValue[Protocol]{{Value: TCP}, {Value: UDP}}
}
