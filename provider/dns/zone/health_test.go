package zone_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// server serves the zone file that is stored in it; none, and it refuses.
type server struct {
	atomic.Pointer[string]
	address string
}

func newServer(t testing.TB, zone string) *server {
	t.Helper()
	return newServerAt(t, fmt.Sprint("127.0.0.1:", loopback.Port(t)), zone)
}

func newServerAt(t testing.TB, address, zone string) *server {
	t.Helper()
	s := &server{address: address}
	s.Store(&zone)
	for _, network := range []string{"udp", "tcp"} {
		started := make(chan struct{})
		d := &dns.Server{Addr: s.address, Net: network, Handler: s, NotifyStartedFunc: func() { close(started) }}
		go func() { _ = d.ListenAndServe() }()
		<-started
		t.Cleanup(func() { _ = d.Shutdown() })
	}
	return s
}

func (s *server) ServeDNS(w dns.ResponseWriter, asked *dns.Msg) {
	answer := new(dns.Msg).SetReply(asked)
	zone := *s.Load()
	if zone == "" {
		answer.Rcode = dns.RcodeRefused
	}
	file := dns.NewZoneParser(strings.NewReader(zone), "example.org.", "")
	for rr, more := file.Next(); more; rr, more = file.Next() {
		if h := rr.Header(); h.Name == asked.Question[0].Name && h.Rrtype == asked.Question[0].Qtype {
			answer.Answer = append(answer.Answer, rr)
		}
	}
	if w.RemoteAddr().Network() == "udp" {
		answer.Truncate(dns.MinMsgSize)
	}
	_ = w.WriteMsg(answer)
}

func serves(serial int, more string) string {
	return fmt.Sprintf("@ 60 SOA ns hostmaster %d 1 1 1 1\n", serial) + more
}

func gate(servers []*server, more map[string]property.Value) map[string]property.Value {
	var all []property.Value
	for _, s := range servers {
		all = append(all, property.New(s.address))
	}
	inputs := map[string]property.Value{"servers": property.New(all), "domain": property.New("example.org")}
	for name, v := range more {
		inputs[name] = v
	}
	return inputs
}

func list(texts ...string) property.Value {
	var all []property.Value
	for _, text := range texts {
		all = append(all, property.New(text))
	}
	return property.New(all)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	long := "www 60 A 192.0.2.1\nmany 60 A 192.0.2.2\n"
	for i := range 100 { // more than UDP carries
		long += fmt.Sprintf("many 60 A 192.0.3.%d\n", i)
	}
	a, b := newServer(t, serves(7, long)), newServer(t, serves(8, "@ 60 A 192.0.2.1\nwww 60 AAAA 2001:db8::1\n"))
	servers := []*server{a, b}
	r := newResource(t, "DnsHealth")

	up(t, r, gate(servers, map[string]property.Value{"serial": property.New(7.0), "names": list("www")}))
	require.Equal(t, list(a.address+": serial 7", b.address+": serial 8"), r.state.Get("answers"))
	up(t, r, gate(servers[:1], map[string]property.Value{"names": list("many", "www.example.org.")}))

	// With another serial it waits for that, and says for what.
	later := gate(servers, map[string]property.Value{"serial": property.New(9.0), "triggers": property.New(map[string]property.Value{"a": property.New("1")})})
	go func() {
		time.Sleep(1500 * time.Millisecond)
		for _, s := range servers {
			text := serves(9, "")
			s.Store(&text)
		}
	}()
	up(t, r, later)
	require.Equal(t, list(a.address+": serial 9", b.address+": serial 9"), r.state.Get("answers"))
	changed, err := r.up(t, later)
	require.NoError(t, err)
	require.False(t, changed)
	require.NoError(t, r.remove())
}

func TestHealthIsBounded(t *testing.T) {
	t.Parallel()
	behind, refuses, none := newServer(t, serves(4294967295, "")), newServer(t, ""), newServer(t, "www 60 A 192.0.2.1\n")
	nameless := newServer(t, serves(3, ""))
	away := &server{address: fmt.Sprint("127.0.0.1:", loopback.Port(t))}
	r := newResource(t, "DnsHealth")
	inputs := r.check(t, gate([]*server{behind, refuses, none, nameless, away}, map[string]property.Value{
		"serial": property.New(2.0), "names": list("@"), // 2 is after the last of all
	}))
	_, err := r.server.Create(p.CreateRequest{Urn: r.urn, Properties: inputs, Timeout: 5})
	require.ErrorContains(t, err, "timed out after 5s: "+behind.address+": it serves serial 4294967295 of example.org, not yet 2\n"+
		refuses.address+": it answers REFUSED for example.org.\n"+none.address+": it does not serve example.org\n"+
		nameless.address+": it returns no address of example.org.\n"+away.address+": it does not answer: connection refused")

	previewed, err := r.server.Create(p.CreateRequest{Urn: r.urn, Properties: inputs, DryRun: true})
	require.NoError(t, err, "preview asks nobody")
	require.True(t, previewed.Properties.Get("answers").IsComputed())
	inputs = inputs.Set("skipHealthChecks", property.New(true))
	_, err = r.server.Create(p.CreateRequest{Urn: r.urn, Properties: inputs})
	require.NoError(t, err)
}

// TestHealthOfAMachine waits for its configuration too, and ends with the
// reason when that was rolled back.
func TestHealthOfAMachine(t *testing.T) {
	t.Parallel()
	s := newServerAt(t, fmt.Sprint("127.79.0.1:", loopback.Port(t)), serves(1, ""))
	listener, err := net.Listen("tcp", "127.79.0.1:9100")
	require.NoError(t, err)
	var metric atomic.Value
	metric.Store(`quorum_apply_info{generation="aa",outcome="done"} 1`)
	exporter := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, metric.Load())
	})}
	go func() { _ = exporter.Serve(listener) }()
	t.Cleanup(func() { _ = exporter.Close() })
	r := newResource(t, "DnsHealth")
	inputs := r.check(t, gate([]*server{s}, map[string]property.Value{"generations": list("bb")}))
	create := func() error {
		_, err := r.server.Create(p.CreateRequest{Urn: r.urn, Properties: inputs, Timeout: 10})
		return err
	}
	require.ErrorContains(t, create(), "timed out after 10s: "+s.address+": it has not applied its new configuration yet")
	metric.Store(`quorum_apply_info{generation="bb",outcome="rolled back",reason="coredns.service: check-corefile refuses the new configuration"} 1`)
	require.ErrorContains(t, create(), s.address+": it could not apply its new configuration (rolled back): coredns.service: check-corefile refuses")
	metric.Store(`quorum_apply_info{generation="bb",outcome="done"} 1`)
	require.NoError(t, create())
}
