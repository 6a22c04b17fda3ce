package zone

import (
	"net/netip"
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
)

// FuzzRecords requires any texts either refused, or kept as records that say just
// what was meant.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{"www", "@", "*", ".", "a b", "x\n$ORIGIN .\n", `"`, `\`, `\000`, `\.`, "; x", "(", "$INCLUDE /etc/passwd", "é\x00\xff", "192.0.2.1", "www.example.org."} {
		f.Add(seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, name, target, value string) {
		full := (&builder{origin: "example.org."}).absolute
		for kind, c := range map[string]struct {
			records Records
			says    func(dns.RR) bool
		}{
			"a": {Records{A: []AddressRecord{{Name: name, Addresses: []string{value}}}}, func(rr dns.RR) bool {
				ip, err := netip.ParseAddr(value)
				return err == nil && rr.(*dns.A).A.String() == ip.String()
			}},
			"cname": {Records{CNAME: []TargetRecord{{Name: name, Target: target}}}, func(rr dns.RR) bool { return rr.(*dns.CNAME).Target == full(target) }},
			"mx":    {Records{MX: []MXRecord{{Name: name, Exchange: target}}}, func(rr dns.RR) bool { return rr.(*dns.MX).Mx == full(target) }},
			"txt":   {Records{TXT: []TXTRecord{{Name: "www", Text: value}}}, func(rr dns.RR) bool { return wire(t, rr) == value }},
			"caa":   {Records{CAA: []CAARecord{{Name: "www", Tag: "issue", Value: value}}}, func(rr dns.RR) bool { return wire(t, rr) == value }},
			"tag":   {Records{CAA: []CAARecord{{Name: "www", Tag: value}}}, func(rr dns.RR) bool { return rr.(*dns.CAA).Tag == dns.CanonicalName(value)[:len(value)] }},
		} {
			made, problems := ZoneArgs{Domain: "example.org", Nameservers: []string{"ns.example.net."}, Records: &c.records}.content()
			if len(problems) > 0 {
				continue
			}
			rrs, err := parse(made.text(1), ".")
			require.NoError(t, err, made.text(1))
			require.Len(t, rrs, 3, "SOA, NS and it: %q", made.text(1))
			found := 0
			for _, rr := range rrs[1:] {
				if rr.Header().Rrtype == dns.TypeNS {
					continue
				}
				found++
				if kind == "a" || kind == "cname" || kind == "mx" {
					require.Equal(t, full(name), rr.Header().Name)
				} else {
					require.Equal(t, "www.example.org.", rr.Header().Name)
				}
				require.True(t, c.says(rr), "%s: %q", kind, made.text(1))
			}
			require.Equal(t, 1, found)
		}
	})
}

// FuzzFile requires any file either refused, or kept as a zone that is the same
// when it is read again.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		"", "www A 192.0.2.1", "$GENERATE 1-3 a-$ A 192.0.2.$", "$ORIGIN .\nx.example.org. 60 TXT a \"b;\" \\036", "$TTL 1w\n* MX 1 (\n x )",
		"a CAA 0 issue \"\\.;\"", `a\$b TXT "$INCLUDE x"`, "x TYPE65280 \\# 1 00", "x APL 1:192.0.2.0/24", "x NAPTR 1 1 \"s\" \"$\" \"!^.*$!sip:x!\" .",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, more string) {
		file := soa + more
		made, problems := ZoneArgs{Domain: "example.org", ZoneFile: &file}.content()
		if len(problems) > 0 {
			return
		}
		text := made.text(5)
		again := kept(text, "example.org")
		require.NotNil(t, again.soa, text)
		require.True(t, made.same(again), text)
		require.NotContains(t, text, "$")
	})
}

// wire is what the data of a record say on their way to who asked.
func wire(t *testing.T, rr dns.RR) (said string) {
	t.Helper()
	message := make([]byte, 2*dns.MaxMsgSize)
	end, err := dns.PackRR(rr, message, 0, nil, false)
	require.NoError(t, err)
	_, data, err := dns.UnpackDomainName(message, 0)
	require.NoError(t, err)
	rdata := message[data+10 : end]
	if rr.Header().Rrtype == dns.TypeCAA {
		return string(rdata[2+len("issue"):])
	}
	for len(rdata) > 0 {
		length := int(rdata[0])
		said += string(rdata[1 : 1+length])
		rdata = rdata[1+length:]
	}
	return said
}
