package zone

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/miekg/dns"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Health is a gate that opens when DNS servers serve a zone.
type Health struct{}

// HealthArgs are the inputs of a DnsHealth.
type HealthArgs struct {
	Servers          []string          `pulumi:"servers"`
	Domain           string            `pulumi:"domain"`
	Serial           *int              `pulumi:"serial,optional"`
	Names            []string          `pulumi:"names,optional"`
	Generations      []string          `pulumi:"generations,optional"`
	Triggers         map[string]string `pulumi:"triggers,optional"`
	SkipHealthChecks *bool             `pulumi:"skipHealthChecks,optional"`
}

// HealthState is the state of a DnsHealth.
type HealthState struct {
	HealthArgs
	Answers []string `pulumi:"answers"`
}

const (
	defaultWait = 5 * time.Minute
	oneQuestion = 2 * time.Second
)

// Validate returns what is wrong with a.
func (a HealthArgs) Validate() []check.Problem {
	var l check.List
	l.Required("servers", a.Servers)
	paths, servers := make([]string, len(a.Servers)), make([]string, len(a.Servers))
	for i, server := range a.Servers {
		paths[i], servers[i] = check.Index("servers", i), address(server)
		if servers[i] == "" {
			l.Add(paths[i], "must be an IP address, or an address and a port as in 10.0.0.1:53, not %s", check.Quote(server))
		}
	}
	l.Distinct(paths, servers)
	if n := len(a.Generations); n > len(a.Servers) {
		l.Add("generations", "must be no more than servers (%d), not %d", len(a.Servers), n).Needing("servers")
	}
	if reason := check.Origin(a.Domain); reason != "" {
		l.Add("domain", "%s", reason)
		return l
	}
	if a.Serial != nil {
		l.Check("serial", check.Range(*a.Serial, 1, 1<<32-1))
	}
	b := builder{origin: a.Domain + "."}
	for i, name := range a.Names {
		l.Check(check.Index("names", i), b.other(name))
	}
	return l
}

// address is where a server is asked, or "".
func address(server string) string {
	if ip, err := netip.ParseAddr(server); err == nil && ip.Zone() == "" {
		return netip.AddrPortFrom(ip, ports.DNS).String()
	}
	if check.Endpoint(server) == "" {
		return server
	}
	return ""
}

// Create waits until all servers answer as they should.
func (Health) Create(ctx context.Context, req infer.CreateRequest[HealthArgs]) (infer.CreateResponse[HealthState], error) {
	state, err := req.Inputs.wait(ctx, req.DryRun)
	return infer.CreateResponse[HealthState]{ID: req.Name, Output: state}, err
}

// Update waits again.
func (Health) Update(ctx context.Context, req infer.UpdateRequest[HealthArgs, HealthState]) (infer.UpdateResponse[HealthState], error) {
	state, err := req.Inputs.wait(ctx, req.DryRun)
	return infer.UpdateResponse[HealthState]{Output: state}, err
}

func (a HealthArgs) wait(ctx context.Context, preview bool) (HealthState, error) {
	s := HealthState{HealthArgs: a, Answers: []string{}}
	switch {
	case preview:
		return s, nil
	case ptr.Value(a.SkipHealthChecks):
		p.GetLogger(ctx).Warning("skipHealthChecks is on: no health check was made")
		return s, nil
	}
	return s, wait.Until(ctx, defaultWait, func(ctx context.Context) (string, error) {
		answers, missing := a.ask(ctx)
		s.Answers = answers
		machines, err := a.machines(ctx)
		return strings.Join(append(missing, machines...), "\n"), err
	})
}

// machines says which of them have not taken up yet what they are to be.
func (a HealthArgs) machines(ctx context.Context) (all []string, err error) {
	for i, generation := range a.Generations {
		server := a.Servers[i]
		ip, _, _ := net.SplitHostPort(address(server))
		missing, err := wait.Applied(ctx, ip, generation)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", server, err)
		case missing != "":
			all = append(all, server+": "+missing)
		}
	}
	return all, nil
}

// ask asks all servers at once. It returns what each answers, and what is
// missing of those that do not answer as they should.
func (a HealthArgs) ask(ctx context.Context) (answers, missing []string) {
	type answer struct {
		text string
		err  error
	}
	all := make([]answer, len(a.Servers))
	var group fault.Group
	for i, server := range a.Servers {
		group.Go(func() {
			serial, err := a.serves(ctx, address(server))
			all[i] = answer{fmt.Sprintf("%s: serial %d", server, serial), err}
		})
	}
	group.Wait()
	for i, answer := range all {
		answers = append(answers, answer.text)
		if answer.err != nil {
			missing = append(missing, a.Servers[i]+": "+answer.err.Error())
		}
	}
	return answers, missing
}

// serves is the serial with which a server serves the zone, or what is missing.
func (a HealthArgs) serves(ctx context.Context, server string) (serial uint32, err error) {
	origin := a.Domain + "."
	records, err := question(ctx, server, origin, dns.TypeSOA)
	if err != nil {
		return 0, err
	}
	for _, rr := range records {
		if soa, is := rr.(*dns.SOA); is && dns.CanonicalName(soa.Hdr.Name) == origin {
			serial = soa.Serial
		}
	}
	switch {
	case serial == 0:
		return 0, fmt.Errorf("it does not serve %s", a.Domain)
	case a.Serial != nil && after(uint32(*a.Serial), serial):
		return serial, fmt.Errorf("it serves serial %d of %s, not yet %d", serial, a.Domain, *a.Serial)
	}
	b := builder{origin: origin}
	for _, name := range a.Names {
		if err := resolves(ctx, server, b.absolute(name)); err != nil {
			return serial, err
		}
	}
	return serial, nil
}

// resolves requires an address of a name.
func resolves(ctx context.Context, server, name string) error {
	for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA} {
		records, err := question(ctx, server, name, kind)
		if err != nil {
			return err
		}
		for _, rr := range records {
			if rr.Header().Rrtype == kind {
				return nil
			}
		}
	}
	return fmt.Errorf("it returns no address of %s", name)
}

// question asks over UDP, and again over TCP if the answer is too long for that.
func question(ctx context.Context, server, name string, kind uint16) ([]dns.RR, error) {
	m := new(dns.Msg).SetQuestion(name, kind)
	client := dns.Client{Timeout: oneQuestion}
	answer, _, err := client.ExchangeContext(ctx, m, server)
	if err == nil && answer.Truncated {
		client.Net = "tcp"
		answer, _, err = client.ExchangeContext(ctx, m, server)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("it does not answer: %s", wait.Cause(err))
	case answer.Rcode != dns.RcodeSuccess:
		return nil, fmt.Errorf("it answers %s for %s", dns.RcodeToString[answer.Rcode], name)
	}
	return answer.Answer, nil
}
