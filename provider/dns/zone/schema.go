package zone

import (
	"fmt"

	"github.com/pulumi/pulumi-go-provider/infer"
)

var (
	_ infer.Annotated = (*Zone)(nil)
	_ infer.Annotated = (*ZoneArgs)(nil)
	_ infer.Annotated = (*ZoneState)(nil)
	_ infer.Annotated = (*SOA)(nil)
	_ infer.Annotated = (*Records)(nil)
	_ infer.Annotated = (*AddressRecord)(nil)
	_ infer.Annotated = (*TargetRecord)(nil)
	_ infer.Annotated = (*MXRecord)(nil)
	_ infer.Annotated = (*TXTRecord)(nil)
	_ infer.Annotated = (*SRVRecord)(nil)
	_ infer.Annotated = (*CAARecord)(nil)
	_ infer.Annotated = (*Health)(nil)
	_ infer.Annotated = (*HealthArgs)(nil)
	_ infer.Annotated = (*HealthState)(nil)
)

// Annotate describes z.
func (z *Zone) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsZone")
	a.Describe(&z, `A DNS zone that is kept in etcd, where each CorednsServer with the same `+"`keyPrefix`"+` takes it from.

The zone is given as records by type, or as a zone file. What would be no zone is refused in preview: records that do not parse, names outside the domain, a CNAME beside other records.

Each change gives the zone a newer serial. A zone that is in etcd already, and is not just the same, is not taken over, but can be imported by its key; so is a change by someone else not overwritten before `+"`pulumi refresh`"+` has shown it.`)
}

// Annotate describes z.
func (z *ZoneArgs) Annotate(a infer.Annotator) {
	a.Describe(&z.Etcd, "The cluster to keep the zone in. Its user needs to read and write the key. A change leaves the zone as it is.")
	a.Describe(&z.KeyPrefix, "What the domain is appended to, to make the key: begins and ends with a slash.")
	a.SetDefault(&z.KeyPrefix, DefaultKeyPrefix)
	a.Describe(&z.Domain, "Name of the zone, in small letters and without a final dot, like example.org.")
	a.Describe(&z.ZoneFile, "The zone as a file (RFC 1035), without $INCLUDE. Its serial counts only where it is newer than the one that the zone would have otherwise. Either this or `nameservers`.")
	a.Describe(&z.Nameservers, "Names of the servers of the zone; those in it need an address in `records`. Either this or `zoneFile`.")
	a.Describe(&z.Hostmaster, "Address of mail of who is responsible for the zone. Defaults to `hostmaster@<domain>`.")
	a.Describe(&z.TTL, fmt.Sprintf("Seconds for which others may remember a record that has no `ttl` of its own, from 0 to 2147483647. Defaults to `%d`.", defaultTTL))
	a.Describe(&z.SOA, "Other times in the SOA record, in seconds.")
	a.Describe(&z.Records, "The records, by type. Names are as in zone files: relative to the domain, unless they end with a dot; `@` is the domain itself.")
}

// Annotate describes z.
func (z *ZoneState) Annotate(a infer.Annotator) {
	a.Describe(&z.Key, "Key of etcd that holds the zone.")
	a.Describe(&z.Serial, "Serial of the zone, as DnsHealth can wait for it.")
	a.Describe(&z.Zone, "The zone file, as it is in etcd.")
}

// Annotate describes s.
func (s *SOA) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsSoa")
	a.Describe(&s, "Times in the SOA record of a zone, each from 0 to 2147483647 seconds.")
	seconds := func(field any, text string, otherwise int) {
		a.Describe(field, fmt.Sprintf("%s Defaults to `%d`.", text, otherwise))
	}
	seconds(&s.Refresh, "Seconds after which a secondary server looks for another serial.", defaultRefresh)
	seconds(&s.Retry, "Seconds after which it tries again.", defaultRetry)
	seconds(&s.Expire, "Seconds after which it gives the zone up.", defaultExpire)
	seconds(&s.Minimum, "Seconds for which others may remember that there is no such name.", defaultMinimum)
}

// Annotate describes r.
func (r *Records) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsRecords")
	a.Describe(&r, "Records of a zone, by type.")
	a.Describe(&r.A, "IPv4 addresses.")
	a.Describe(&r.AAAA, "IPv6 addresses.")
	a.Describe(&r.CNAME, "Other names for names. Such a name can have no other record, so the domain itself cannot be one.")
	a.Describe(&r.MX, "Mail servers.")
	a.Describe(&r.TXT, "Texts.")
	a.Describe(&r.SRV, "Where services are.")
	a.Describe(&r.NS, "Name servers of what is below a name. Those of the zone itself are in `nameservers`.")
	a.Describe(&r.PTR, "Names of addresses, in zones such as 2.0.192.in-addr.arpa.")
	a.Describe(&r.CAA, "Who may issue certificates.")
}

const (
	describeName = "Name of the record: relative to the domain, or full with a final dot. `@` is the domain itself, `*` and `*.<name>` are all that have no other record."
	describeTTL  = "Seconds for which others may remember it, from 0 to 2147483647: the same for all records of a name and type. Defaults to that of the zone."
)

// Annotate describes r.
func (r *AddressRecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsAddressRecord")
	a.Describe(&r, "Addresses of a name.")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Addresses, "The addresses, each a record of its own: IPv4 in `a`, IPv6 in `aaaa`.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *TargetRecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsTargetRecord")
	a.Describe(&r, "A name that refers to another.")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Target, "The other name: relative to the domain, or full with a final dot.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *MXRecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsMxRecord")
	a.Describe(&r, "A mail server.")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Preference, "The lowest is tried first, from 0 to 65535.")
	a.Describe(&r.Exchange, "Name of the server: relative to the domain, or full with a final dot. A dot alone means that there is none.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *TXTRecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsTxtRecord")
	a.Describe(&r, "A text.")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Text, "The text as it is, without quotes of a zone file. It is cut into strings of 255 bytes.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *SRVRecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsSrvRecord")
	a.Describe(&r, "Where a service is.")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Priority, "The lowest is tried first, from 0 to 65535.")
	a.Describe(&r.Weight, "Share among those of the same priority, from 0 to 65535.")
	a.Describe(&r.Port, "Port of the service, from 0 to 65535.")
	a.Describe(&r.Target, "Name of the machine: relative to the domain, or full with a final dot. A dot alone means that there is none.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *CAARecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsCaaRecord")
	a.Describe(&r, "Who may issue certificates (RFC 8659).")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Flags, "From 0 to 255; 128 is critical.")
	a.Describe(&r.Tag, "`issue`, `issuewild`, `iodef` or another property.")
	a.Describe(&r.Value, "Value of the property, without quotes.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes h.
func (h *Health) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsHealth")
	a.Describe(&h, `A gate: it opens when all of the given DNS servers serve a zone, with a serial of at least the one wanted, and find the names wanted.

It asks from where Pulumi runs, not in previews, and waits for as long as customTimeouts say, else for 5 minutes. What is missing is shown meanwhile, and said in the error. Any change makes it wait again. A refresh notes in `+"`triggers.seen`"+` what was missing for 10 seconds, and the next update waits for that.`)
}

// Annotate describes h.
func (h *HealthArgs) Annotate(a infer.Annotator) {
	a.Describe(&h.Servers, "The servers, each as an IP address, or as ip:port.")
	a.Describe(&h.Domain, "Name of the zone, in small letters and without a final dot, like example.org.")
	a.Describe(&h.Serial, "Serial that each server must have at least, from 1 to 4294967295: the `serial` of a DnsZone. By RFC 1982, as serials go round. Without it any serial will do.")
	a.Describe(&h.Names, "Names that each server must find an address of, IPv4 or IPv6: relative to the domain, or full with a final dot. `@` is the domain itself.")
	a.Describe(&h.Generations, "Generations of their state that the machines of `servers` must have in force, in the same order: the output `generation` of each CorednsServer. Read from the metrics of their node exporters.")
	a.Describe(&h.Triggers, "What the resource is about to follow, such as `machineId` of the servers: with any change of these, it waits again.")
	a.Describe(&h.SkipHealthChecks, "Whether to wait for nothing: for servers that are lost, or that cannot be reached from where Pulumi runs (as with macvtap interfaces, from their own host).")
	a.SetDefault(&h.SkipHealthChecks, false)
}

// Annotate describes h.
func (h *HealthState) Annotate(a infer.Annotator) {
	a.Describe(&h.Answers, "What each server answered at last: its address, and the serial of the zone it serves.")
}
