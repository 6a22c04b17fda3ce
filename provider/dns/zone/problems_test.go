package zone

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]problemCase{
		"connection": {func(a *ZoneArgs) { a.Etcd.Endpoints = nil }, "etcd.endpoints: is required"},
		"prefix":     {func(a *ZoneArgs) { a.KeyPrefix = text("/zones") }, `keyPrefix: must begin and end with a slash, as in /zones/, and have no white space and no empty parts, not "/zones"`},
		"domain":     {func(a *ZoneArgs) { a.Domain = "Example.org." }, `domain: must be the name of a zone in lower case and without a trailing dot, as in example.org, not "Example.org."`},
		"nothing":    {func(a *ZoneArgs) { a.Nameservers = nil }, "nameservers: is required, or zoneFile"},
		"no servers": {func(a *ZoneArgs) { a.Nameservers = []string{} }, "nameservers: is required"},
		"both": {
			func(a *ZoneArgs) { a.ZoneFile, a.TTL = text(soa), number(1) },
			"zoneFile: must not be given together with nameservers\nttl: must not be given together with zoneFile\nrecords: must not be given together with zoneFile",
		},
		"nameserver":                {func(a *ZoneArgs) { a.Nameservers = []string{"192.0.2.1"} }, `nameservers[0]: must be a name, not the address "192.0.2.1"`},
		"nameserver twice":          {func(a *ZoneArgs) { a.Nameservers = []string{"ns1", "NS1"} }, `nameservers[1]: is there twice: "example.org. NS ns1.example.org."`},
		"nameserver nowhere":        {func(a *ZoneArgs) { a.Nameservers = []string{"ns2"} }, "nameservers[0]: must have an address: ns2.example.org. has neither A nor AAAA records in the zone"},
		"full name without its dot": {func(a *ZoneArgs) { a.Nameservers = []string{"ns1.example.org"} }, `nameservers[0]: must end with a dot if it is a full name, or be without the domain, not "ns1.example.org"`},
		"hostmaster":                {func(a *ZoneArgs) { a.Hostmaster = text("a b@example.org") }, `hostmaster: must be an email address, as in hostmaster@example.org, not "a b@example.org"`},
		"ttl":                       {func(a *ZoneArgs) { a.TTL = number(-1) }, "ttl: must be from 0 to 2147483647, not -1"},
		"soa":                       {func(a *ZoneArgs) { a.SOA = &SOA{Expire: number(1 << 31)} }, "soa.expire: must be from 1 to 2147483647, not 2147483648"},
		"soa of nothing": {func(a *ZoneArgs) {
			a.SOA = &SOA{Refresh: number(0), Retry: number(0), Expire: number(0), Minimum: number(0)}
		}, "soa.refresh: must be from 1 to 2147483647, not 0\nsoa.retry: must be from 1 to 2147483647, not 0\nsoa.expire: must be from 1 to 2147483647, not 0"},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); c.check(t) })
	}
}

func TestProblemsOfRecords(t *testing.T) {
	t.Parallel()
	at := func(name string) AddressRecord { return AddressRecord{Name: name, Addresses: []string{"192.0.2.9"}} }
	for name, c := range map[string]struct {
		change func(*Records)
		want   string
	}{
		"no name":      {func(r *Records) { r.A = append(r.A, at("")) }, `records.a[1].name: must be @ or a domain name, not ""`},
		"name":         {func(r *Records) { r.A = append(r.A, at("a b")) }, `records.a[1].name: must be @ or a domain name, not "a b"`},
		"line":         {func(r *Records) { r.A = append(r.A, at("x\n$ORIGIN y")) }, `records.a[1].name: must be @ or a domain name, not "x\n$ORIGIN y"`},
		"asterisk":     {func(r *Records) { r.A = append(r.A, at("a.*")) }, `records.a[1].name: must be @ or a domain name, not "a.*"`},
		"long label":   {func(r *Records) { r.A = append(r.A, at(strings.Repeat("a", 64))) }, `records.a[1].name: must be @ or a domain name, not "` + strings.Repeat("a", 60) + `…"`},
		"long name":    {func(r *Records) { r.A = append(r.A, at(strings.Repeat("a.", 121)+"a")) }, "records.a[1].name: must be shorter: with the domain it is longer than a name can be"},
		"outside":      {func(r *Records) { r.A = append(r.A, at("www.example.net.")) }, `records.a[1].name: must be in example.org. (relative to it, or with a trailing dot), not "www.example.net."`},
		"above":        {func(r *Records) { r.A = append(r.A, at("org.")) }, `records.a[1].name: must be in example.org. (relative to it, or with a trailing dot), not "org."`},
		"no addresses": {func(r *Records) { r.A = []AddressRecord{r.A[0], {Name: "a"}} }, "records.a[1].addresses: is required"},
		"IPv6 in a":    {func(r *Records) { r.A[0].Addresses = append(r.A[0].Addresses, "2001:db8::1") }, `records.a[0].addresses[1]: must be an IPv4 address, not "2001:db8::1"`},
		"IPv4 in aaaa": {func(r *Records) { r.AAAA = r.A; r.A = nil }, "records.aaaa[0].addresses[0]: must be an IPv6 address, not \"192.0.2.1\"\nnameservers[0]: must have an address: ns1.example.org. has neither A nor AAAA records in the zone"},
		"mapped":       {func(r *Records) { r.AAAA = []AddressRecord{{Name: "a", Addresses: []string{"::ffff:192.0.2.1"}}} }, `records.aaaa[0].addresses[0]: must be an IPv6 address, not "::ffff:192.0.2.1"`},
		"ttl":          {func(r *Records) { r.A[0].TTL = number(1 << 31) }, "records.a[0].ttl: must be from 0 to 2147483647, not 2147483648\nnameservers[0]: must have an address: ns1.example.org. has neither A nor AAAA records in the zone"},
		"two ttls": {
			func(r *Records) { r.A = append(r.A, at("ns1")); r.A[1].TTL = number(5) },
			"records.a[1].addresses[0]: must have the TTL of the other A records of ns1.example.org., 300, not 5",
		},
		"twice":          {func(r *Records) { r.A[0].Addresses = []string{"192.0.2.1", "192.0.2.1"} }, `records.a[0].addresses[1]: is there twice: "ns1.example.org. A 192.0.2.1"`},
		"apex cname":     {func(r *Records) { r.CNAME = []TargetRecord{{Name: "@", Target: "ns1"}} }, "records.cname[0]: must be the only record of example.org., which has SOA, NS too"},
		"cname and more": {func(r *Records) { r.A = append(r.A, at("www")); r.CNAME = []TargetRecord{{Name: "WWW", Target: "ns1"}} }, "records.cname[0]: must be the only record of www.example.org., which has A too"},
		"two cnames":     {func(r *Records) { r.CNAME = []TargetRecord{{Name: "w", Target: "ns1"}, {Name: "w", Target: "x."}} }, "records.cname[1]: must be the only record of w.example.org., which has another CNAME"},
		"mail to a cname": {func(r *Records) {
			r.CNAME = []TargetRecord{{Name: "w", Target: "ns1"}}
			r.MX = []MXRecord{{Name: "@", Exchange: "w"}}
		}, "records.mx[0]: must be a name with addresses of its own, not the CNAME w.example.org."},
		"mx": {func(r *Records) { r.MX = []MXRecord{{Name: "@", Preference: 65536, Exchange: "2001:db8::1"}} }, "records.mx[0].preference: must be from 0 to 65535, not 65536\nrecords.mx[0].exchange: must be a name, not the address \"2001:db8::1\""},
		"srv": {func(r *Records) {
			r.SRV = []SRVRecord{{Name: "_x._tcp", Priority: -1, Weight: -1, Port: 99999, Target: "192.0.2.1."}}
		}, "records.srv[0].priority: must be from 0 to 65535, not -1\nrecords.srv[0].weight: must be from 0 to 65535, not -1\nrecords.srv[0].port: must be from 0 to 65535, not 99999\nrecords.srv[0].target: must be a name, not the address \"192.0.2.1.\""},
		"ns":   {func(r *Records) { r.NS = []TargetRecord{{Name: "sub", Target: "."}} }, `records.ns[0].target: must be @ or a domain name, not "."`},
		"ptr":  {func(r *Records) { r.PTR = []TargetRecord{{Name: "1", Target: "a;b."}} }, `records.ptr[0].target: must be @ or a domain name, not "a;b."`},
		"caa":  {func(r *Records) { r.CAA = []CAARecord{{Name: "@", Flags: 256, Tag: "a b"}} }, "records.caa[0].flags: must be from 0 to 255, not 256\nrecords.caa[0].tag: must consist of letters and digits, as in issue, not \"a b\""},
		"text": {func(r *Records) { r.TXT = []TXTRecord{{Name: "@", Text: strings.Repeat("x", 65300)}} }, "records.txt[0]: must fit into an answer of 65535 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problemCase{func(a *ZoneArgs) { c.change(a.Records) }, c.want}.check(t)
		})
	}
}

func TestProblemsOfFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, want string }{
		"empty":        {"", "must have the SOA record of example.org."},
		"no zone":      {"<html>\n", `must be a zone file: not a TTL: "<html>" at line: 1:6`},
		"include":      {soa + "$INCLUDE /etc/passwd\n", `must be a zone file: $INCLUDE directive not allowed: "/etc/passwd" at line: 2:20`},
		"address":      {soa + "www A 192.0.2\n", `must be a zone file: bad A A: "192.0.2" at line: 2:13`},
		"outside":      {soa + "www.example.net. A 192.0.2.1\n", `must have names in example.org. only, not "www.example.net. 300 IN A 192.0.2.1"`},
		"other zone":   {strings.Replace(soa, "@", "sub", 1), "must have the SOA record of example.org., not that of sub.example.org."},
		"two SOAs":     {soa + soa, `must have one SOA record, not several: "example.org. 300 IN SOA ns1.example.org. hostmaster.example.…"`},
		"class":        {soa + "www CH TXT x\n", `must have records of class IN only, not "www.example.org. 300 CH TXT \"x\""`},
		"TTL":          {soa + "www 2147483648 A 192.0.2.1\n", `must have TTLs from 0 to 2147483647, not 2147483648: "www.example.org. 2147483648 IN A 192.0.2.1"`},
		"times":        {"@ 300 SOA ns1 hostmaster 1 0 4294967295 0 2147483648\n", "refresh of the SOA record must be from 1 to 2147483647, not 0\nzoneFile: retry of the SOA record must be from 1 to 2147483647, not 4294967295\nzoneFile: expire of the SOA record must be from 1 to 2147483647, not 0\nzoneFile: minimum of the SOA record must be from 0 to 2147483647, not 2147483648"},
		"NSEC3":        {soa + "@ NSEC3PARAM 1 0 0 -\n", `must be without NSEC3, which CoreDNS does not serve: "example.org. 300 IN NSEC3PARAM 1 0 0 -"`},
		"cname":        {soa + "www A 192.0.2.1\nwww CNAME @\n", "must be the only record of www.example.org., which has A too"},
		"too much":     {soa + "$GENERATE 0-65535 node-$ TXT " + strings.Repeat("x", 200) + "\n", "must be a zone file: it has more than 1 MiB of records"},
		"unreadable":   {soa + `www TXT "`, `must be a zone file: bad TXT Txt: " " at line: 2:8`},
		"out of reach": {soa + "$ORIGIN net.\nwww A 192.0.2.1\n", `must have names in example.org. only, not "www.net. 300 IN A 192.0.2.1"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problemCase{file(c.file), "zoneFile: " + c.want}.check(t)
		})
	}
}

type problemCase struct {
	change func(*ZoneArgs)
	want   string
}

func (c problemCase) check(t *testing.T) {
	t.Helper()
	var got []string
	for _, problem := range zone(t, c.change).Validate() {
		got = append(got, problem.String())
	}
	require.Equal(t, c.want, strings.Join(got, "\n"))
}
