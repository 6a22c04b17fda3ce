package provider

import (
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/state"
)

// hostArgs are the inputs that all servers have. Each has them at the top
// level, since what Pulumi reads must not be embedded.
type hostArgs struct {
	name      string
	admin     host.Admin
	site      site
	install   bool
	aptProxy  string
	artifacts map[string]host.Artifact
	chrony    *host.Chrony
	fluentbit *host.Fluentbit
}

const defaultAdmin = "ubuntu"

// state puts the role between what must come before it and what may wait:
// the clock, the role, the exporter, the logs, and what follows the role once
// the cluster runs.
func (h hostArgs) state(role, after state.State, logs []host.Log) (state.State, error) {
	ip := h.site.ips()[0]
	forwarding, err := h.fluentbit.State(h.name, ip, append(logs, host.Logs...))
	if err != nil {
		return state.State{}, err
	}
	s := state.State{Machine: h.name, Install: h.install, AptProxy: h.aptProxy}
	// The exporter first: by it an update learns of a role that does not come up.
	s.Add(h.site.place().State(), h.chrony.State(), host.Exporter(ip), role, forwarding, after)
	return s, nil
}

// validate returns what is wrong with h at now: archives are the artifacts that the
// role takes, logs those it writes.
func (h hostArgs) validate(now time.Time, archives []string, logs []host.Log) check.List {
	var l check.List
	l.Check("name", check.HostName(h.name))
	l.Check("sshAdminUser", check.UserName(h.admin.User))
	if host.IsSystemAccount(h.admin.User) {
		l.Add("sshAdminUser", "must be a user of your own, not %s: the distribution has a user or group of that name", h.admin.User)
	}
	l.Check("sshAdminPublicKey", check.SSHPublicKey(h.admin.PublicKey))
	if strings.ContainsAny(h.admin.Password, "\r\n") {
		l.Add("adminUserPassword", "must be one line")
	}
	l.Under("", h.site.validate())
	if h.aptProxy != "" {
		l.Check("aptProxy", check.URL(h.aptProxy))
	}
	for _, name := range slices.Sorted(maps.Keys(h.artifacts)) {
		path := check.Join("artifacts", name)
		switch {
		case len(archives) == 0:
			l.Add(path, "is not an artifact of this resource, which takes packages only")
		case !slices.Contains(archives, name):
			l.Add(path, "is not an artifact of this resource: known is %s", check.Or(archives))
		}
		l.Under(path, h.artifacts[name].Validate())
	}
	if h.chrony != nil {
		l.Under("chrony", h.chrony.Validate())
	}
	if h.fluentbit != nil {
		l.Under("fluentbit", h.fluentbit.Validate(now, append(logs, host.Logs...)))
	}
	return l
}

// fits wants the place to take what the machine is handed. What is made for it
// is not there yet, so that more may turn out to be too much.
func (h hostArgs) fits(made map[string]string, render func(made map[string]string) (state.State, error)) check.List {
	var l check.List
	h.admin.Password = "" // its hash takes long
	s, err := render(made)
	if err != nil {
		return nil // the machine's documents will say so
	}
	f, err := h.fresh()
	if err != nil {
		return nil
	}
	if _, err := host.Deliver(s, &f.user); err != nil {
		return nil
	}
	if reason, err := h.site.place().Takes(f.user); err == nil && reason != "" {
		l.Add(h.site.input(), "%s", reason).Shape()
	}
	return l
}

// endpoint is an address and port, as ip:port.
func endpoint(ip pulumi.StringOutput, port int) pulumi.StringOutput {
	return fault.Apply(ip, func(ip string) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }).(pulumi.StringOutput)
}

// childOptions are what the children of c are registered with. They inherit
// the provider from their parent, but not the timeouts.
func childOptions(c pulumi.Resource, opts []pulumi.ResourceOption) ([]pulumi.ResourceOption, error) {
	given, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return nil, err
	}
	children := []pulumi.ResourceOption{pulumi.Parent(c)}
	if given.CustomTimeouts != nil {
		children = append(children, pulumi.Timeouts(given.CustomTimeouts))
	}
	return children, nil
}
