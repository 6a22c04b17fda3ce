package zone

import (
	"net/netip"

	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// warnOfAddresses warns of each record with an address at which nobody finds a machine. Somebody may
// mean it: 0.0.0.0 and 127.0.0.1 hide a name.
func (a ZoneArgs) warnOfAddresses(l *check.List, c content) {
	if a.ZoneFile != nil {
		for _, rr := range c.records {
			ip := ""
			switch r := rr.(type) {
			case *dns.A:
				ip = r.A.String()
			case *dns.AAAA:
				ip = r.AAAA.String()
			}
			if why := noMachine(ip); why != "" {
				l.Add("zoneFile", "%s: %s", why, short(rr)).Needing("domain", "zoneFile")
			}
		}
		return
	}
	if a.Records == nil {
		return
	}
	for _, list := range []struct {
		name    string
		records []AddressRecord
	}{{"a", a.Records.A}, {"aaaa", a.Records.AAAA}} {
		for i, r := range list.records {
			for j, ip := range r.Addresses {
				if why := noMachine(ip); why != "" {
					l.Add(check.Index(check.Index("records."+list.name, i)+".addresses", j), "%s", why)
				}
			}
		}
	}
}

// noMachine says why clients find no machine at an address, or "".
func noMachine(ip string) string {
	a, err := netip.ParseAddr(ip)
	switch {
	case err != nil || check.HostIP(ip) == "":
		return ""
	case check.Loopback(a):
		return "clients are told " + ip + ", a loopback address: each client reaches itself there"
	case a.IsMulticast():
		return "clients are told " + ip + ", a multicast address: no connection is made to it"
	case a.IsLinkLocalUnicast():
		return "clients are told " + ip + ", which is link-local: it is reached in one network alone, of IPv6 with the name of an interface"
	case ip == "255.255.255.255":
		return "clients are told " + ip + ", the broadcast address: no connection is made to it"
	}
	return "clients are told " + ip + ", which is the address of no machine"
}
