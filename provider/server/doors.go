package server

import (
	"net"
	"net/netip"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// MustAdmit requires the firewall to let a machine reach a service, whose address is an input
// at path.
func (a HostArgs) MustAdmit(service, machine, ip, path string) check.List {
	var l check.List
	if ip != "" && !a.Firewall.Admits(service, ip) {
		l.Add(check.Join("firewall.allowedNetworks", service), "must include %s: %s connects to this service", ip, machine).
			Needing(path, "firewall.enabled")
	}
	return l
}

// WarnOfServer is of what is allowed to a machine with these doors, and seldom meant.
func (a ServerArgs) WarnOfServer(role []host.Door) check.List {
	l := a.Backend().warnings()
	l.Under("", host.OnItself("aptProxy", ptr.Value(a.AptProxy), "a proxy"))
	l.Under("fluentbit", a.Fluentbit.Warnings())
	l.Under("", a.warnOfDoors(role))
	return l
}

// warnOfDoors warns of a firewall that lets everybody in, or shuts out the host that runs Pulumi.
func (a ServerArgs) warnOfDoors(role []host.Door) check.List {
	var l check.List
	l.Under("firewall", a.Firewall.Warnings(a.doors(role), LocalAddress(a.Backend().IP())))
	for i := range l {
		l[i].Needing(a.Backend().Input(), "firewall.enabled")
	}
	return l
}

// LocalAddress is the one from which this host would connect to another, or "". Nothing is sent.
func LocalAddress(to string) string {
	if to == "" {
		return ""
	}
	connection, err := net.Dial("udp", ports.At(to, ports.SSH))
	if err != nil {
		return ""
	}
	defer connection.Close()
	local, err := netip.ParseAddrPort(connection.LocalAddr().String())
	if err != nil {
		return ""
	}
	return local.Addr().Unmap().WithZone("").String()
}
