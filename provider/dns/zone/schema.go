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

The zone is given as records by type, or as a zone file. A zone that cannot work is refused in preview: records that do not parse, names outside the domain, a CNAME beside other records, CNAMEs that lead back to themselves, and CNAME, MX, SRV and NS records that lead to names of the zone that have no record.

Each change gives the zone a newer serial. A zone that already exists in etcd with other content is not overwritten, but can be imported by its key. A change by someone else is not overwritten before `+"`pulumi refresh`"+` has shown it.`)
}

// Annotate describes z.
func (z *ZoneArgs) Annotate(a infer.Annotator) {
	a.Describe(&z.Etcd, "The cluster to keep the zone in. Its user needs to read and write the key. A change of the connection does not change the zone.")
	a.Describe(&z.KeyPrefix, "Prefix of the key, which is `<keyPrefix><domain>`. It begins and ends with a slash.")
	a.SetDefault(&z.KeyPrefix, DefaultKeyPrefix)
	a.Describe(&z.Domain, "Name of the zone, in lower case and without a trailing dot, like example.org.")
	a.Describe(&z.ZoneFile, "The zone as a file (RFC 1035), without $INCLUDE. Its serial is used only if it is newer than the serial that the resource would choose. Either this or `nameservers`.")
	a.Describe(&z.Nameservers, "Names of the servers of the zone; those in it need an address in `records`. Either this or `zoneFile`.")
	a.Describe(&z.Hostmaster, "Email address of the person responsible for the zone: RNAME of the SOA record. Defaults to `hostmaster@<domain>`.")
	a.Describe(&z.TTL, fmt.Sprintf("TTL in seconds of records that have no `ttl` of their own, from 0 to 2147483647. Defaults to `%d`.", defaultTTL))
	a.Describe(&z.SOA, "Other times in the SOA record, in seconds.")
	a.Describe(&z.Records, "The records, by type. Names are as in zone files: relative to the domain, unless they end with a dot; `@` is the domain itself.")
}

// Annotate describes z.
func (z *ZoneState) Annotate(a infer.Annotator) {
	a.Describe(&z.Key, "Key of etcd that holds the zone.")
	a.Describe(&z.Serial, "Serial of the zone, for `serial` of DnsHealth.")
	a.Describe(&z.Zone, "The zone file, as it is in etcd.")
}

// Annotate describes s.
func (s *SOA) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsSoa")
	a.Describe(&s, "Times in the SOA record of a zone, each from 1 (`minimum`: from 0) to 2147483647 seconds. There is a warning for values that do not fit together.")
	seconds := func(field any, text string, otherwise int) {
		a.Describe(field, fmt.Sprintf("%s Defaults to `%d`.", text, otherwise))
	}
	seconds(&s.Refresh, "Seconds after which a secondary server checks for a new serial.", defaultRefresh)
	seconds(&s.Retry, "Seconds after which a secondary server retries a refresh that failed.", defaultRetry)
	seconds(&s.Expire, "Seconds after which a secondary server stops serving a zone that it could not refresh.", defaultExpire)
	seconds(&s.Minimum, "Negative caching TTL in seconds: how long resolvers cache that a name does not exist.", defaultMinimum)
}

// Annotate describes r.
func (r *Records) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsRecords")
	a.Describe(&r, "Records of a zone, by type.")
	a.Describe(&r.A, "IPv4 addresses.")
	a.Describe(&r.AAAA, "IPv6 addresses.")
	a.Describe(&r.CNAME, "Aliases. Such a name can have no other record, so the domain itself cannot be an alias.")
	a.Describe(&r.MX, "Mail servers.")
	a.Describe(&r.TXT, "TXT records.")
	a.Describe(&r.SRV, "Locations of services.")
	a.Describe(&r.NS, "Name servers of delegated subdomains. Those of the zone itself are in `nameservers`.")
	a.Describe(&r.PTR, "Host names of addresses, in reverse zones such as 2.0.192.in-addr.arpa.")
	a.Describe(&r.CAA, "Certificate authorities that may issue certificates.")
}

const (
	describeName = "Name of the record: relative to the domain, or absolute with a trailing dot. `@` is the domain itself, `*` and `*.<name>` are wildcards."
	describeTTL  = "TTL in seconds, from 0 to 2147483647: the same for all records of a name and type. Defaults to `ttl` of the zone."
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
	a.Describe(&r.Target, "The other name: relative to the domain, or absolute with a trailing dot.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *MXRecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsMxRecord")
	a.Describe(&r, "A mail server.")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Preference, "The lowest is tried first, from 0 to 65535.")
	a.Describe(&r.Exchange, "Name of the server: relative to the domain, or absolute with a trailing dot. A single dot means that there is none.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *TXTRecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsTxtRecord")
	a.Describe(&r, "A text.")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Text, "The text, without the quotes of a zone file. It is split into strings of 255 bytes.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *SRVRecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsSrvRecord")
	a.Describe(&r, "Location of a service.")
	a.Describe(&r.Name, describeName)
	a.Describe(&r.Priority, "The lowest is tried first, from 0 to 65535.")
	a.Describe(&r.Weight, "Relative share of the requests among records of the same priority, from 0 to 65535.")
	a.Describe(&r.Port, "Port of the service, from 0 to 65535.")
	a.Describe(&r.Target, "Name of the machine: relative to the domain, or absolute with a trailing dot. A single dot means that there is none.")
	a.Describe(&r.TTL, describeTTL)
}

// Annotate describes r.
func (r *CAARecord) Annotate(a infer.Annotator) {
	a.SetToken("index", "DnsCaaRecord")
	a.Describe(&r, "A certificate authority that may issue certificates (RFC 8659).")
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

It queries the servers from where Pulumi runs, not in previews, and waits for 5 minutes or as `+"`customTimeouts`"+` say. The progress line and the error show what is missing. Any change makes it wait again. A refresh records in `+"`triggers.seen`"+` what was missing for 10 seconds, and the next update waits for that.`)
}

// Annotate describes h.
func (h *HealthArgs) Annotate(a infer.Annotator) {
	a.Describe(&h.Servers, "The servers, each as an IP address, or as ip:port.")
	a.Describe(&h.Domain, "Name of the zone, in lower case and without a trailing dot, like example.org.")
	a.Describe(&h.Serial, "Minimum serial that each server must serve, from 1 to 4294967295, compared as in RFC 1982: the output `serial` of a DnsZone. Without it any serial is accepted.")
	a.Describe(&h.Names, "Names for which each server must return an address, IPv4 or IPv6: relative to the domain, or absolute with a trailing dot. `@` is the domain itself.")
	a.Describe(&h.Generations, "Configurations that must be in force on the machines of `servers`, in the same order: the output `generation` of each CorednsServer. Read from the metrics of their node exporters.")
	a.Describe(&h.Triggers, "Values such as `machineId` of the servers: when any of them changes, the resource waits again.")
	a.Describe(&h.SkipHealthChecks, "Whether to skip the checks: for servers that are lost, or that Pulumi cannot reach (as with macvtap interfaces, from their own host).")
	a.SetDefault(&h.SkipHealthChecks, false)
}

// Annotate describes h.
func (h *HealthState) Annotate(a infer.Annotator) {
	a.Describe(&h.Answers, "The last answer of each server: its address, and the serial of the zone that it serves.")
}
