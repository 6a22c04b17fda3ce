package zone

import (
	"context"
	"fmt"
	"net"

	"github.com/miekg/dns"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

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
