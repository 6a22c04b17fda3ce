package zone

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
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
	state, err := req.Inputs.wait(ctx, req.DryRun, nil)
	return infer.CreateResponse[HealthState]{ID: req.Name, Output: state}, err
}

// Update waits again.
func (Health) Update(ctx context.Context, req infer.UpdateRequest[HealthArgs, HealthState]) (infer.UpdateResponse[HealthState], error) {
	state, err := req.Inputs.wait(ctx, req.DryRun, &req.State)
	return infer.UpdateResponse[HealthState]{Output: state}, err
}

func (a HealthArgs) wait(ctx context.Context, preview bool, before *HealthState) (HealthState, error) {
	s := HealthState{HealthArgs: a, Answers: []string{}}
	switch {
	case preview:
		return s, nil
	case ptr.Value(a.SkipHealthChecks):
		p.GetLogger(ctx).Warning("skipHealthChecks is on: no health check was made")
		return s, nil
	}
	err := a.waits(before).Until(ctx, func(ctx context.Context) (string, error) {
		answers, missing := a.ask(ctx)
		s.Answers = answers
		machines, err := a.machines(ctx)
		return strings.Join(append(missing, machines...), "\n"), err
	})
	if err != nil {
		return s, fmt.Errorf("%w%s", err, wait.Hint(err))
	}
	if text := a.howToAsk(before); text != "" {
		p.GetLogger(ctx).Info(text)
	}
	return s, nil
}

// served reports whether a server did when the gate passed last.
func (s *HealthState) served(server string) bool {
	return s != nil && slices.Contains(s.Servers, server)
}

// waits is a wait for the servers. They ran before if they served when the gate passed last, on machines that the triggers
// name.
func (a HealthArgs) waits(before *HealthState) wait.For {
	w := wait.For{Limit: defaultWait}
	for _, server := range a.Servers {
		if at, err := netip.ParseAddrPort(address(server)); err == nil {
			w.Machines = append(w.Machines, wait.Machine{Name: server, IP: at.Addr().String(), Port: int(at.Port()), RanBefore: before.served(server) && len(a.Triggers) > 0 && maps.Equal(before.Triggers, a.Triggers)})
		}
	}
	return w
}
