// Package server has what all servers and clusters share: the inputs of machines, what
// a machine is handed and what makes another one of it, certificates and passwords.
//
// Here what a machine is for meets where it runs.
package server

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// HostArgs are the inputs of all servers that say how a machine is run. A cluster
// has them for all of its machines.
type HostArgs struct {
	SSHAdminUser        *string         `pulumi:"sshAdminUser,optional"`
	SSHAdminPublicKey   string          `pulumi:"sshAdminPublicKey"`
	AdminUserPassword   *string         `pulumi:"adminUserPassword,optional" provider:"secret"`
	InstallDependencies *bool           `pulumi:"installDependencies,optional"`
	AptProxy            *string         `pulumi:"aptProxy,optional"`
	Chrony              *host.Chrony    `pulumi:"chrony,optional"`
	Fluentbit           *host.Fluentbit `pulumi:"fluentbit,optional"`
	Firewall            *host.Firewall  `pulumi:"firewall,optional" json:",omitempty"`
	Software            *host.Software  `pulumi:"software,optional" json:",omitempty"`
}

// Annotate describes a. A role says of `fluentbit` and `firewall` which services it has.
func (a *HostArgs) Annotate(d infer.Annotator) {
	d.Describe(&a.SSHAdminUser, "User that may log in over SSH with `sshAdminPublicKey`, and use sudo.")
	d.SetDefault(&a.SSHAdminUser, "ubuntu")
	d.Describe(&a.SSHAdminPublicKey, "Public key of `sshAdminUser`, in the form of OpenSSH's authorized_keys.")
	d.Describe(&a.AdminUserPassword, "Password of `sshAdminUser`, for the console only (`virsh console`): SSH accepts keys only.")
	d.Describe(&a.InstallDependencies, "Whether machines install the packages they need with apt. With false the image must have them; missing packages are listed on the console.")
	d.SetDefault(&a.InstallDependencies, true)
	d.Describe(&a.AptProxy, "Address of a proxy for apt, like http://10.0.0.5:3142.")
	d.Describe(&a.Chrony, "Time synchronisation with chrony: requires a server or a pool. Without it the image's own time service stays.")
	d.Describe(&a.Software, host.AboutSoftware)
}

// ServerArgs are the inputs that all servers have.
type ServerArgs struct {
	HostArgs

	Name      *string           `pulumi:"name,optional"`
	Libvirt   *libvirt.Config   `pulumi:"libvirt,optional"`
	OpenStack *openstack.Config `pulumi:"openstack,optional"`
}

// Annotate describes a.
func (a *ServerArgs) Annotate(d infer.Annotator) {
	d.Describe(&a.Name, "Name of the machine: a host name of at most 63 of a-z, 0-9 and -. Defaults to the name of the resource.")
	d.Describe(&a.Libvirt, "The virtual machine, on libvirt. Either this or `openstack`.")
	d.Describe(&a.OpenStack, "The virtual machine, as an instance of OpenStack. Either this or `libvirt`.")
}

func (a ServerArgs) name() string { return ptr.Value(a.Name) }

func (a ServerArgs) admin() host.Admin {
	return host.Admin{User: ptr.Value(a.SSHAdminUser), PublicKey: a.SSHAdminPublicKey, Password: ptr.Value(a.AdminUserPassword)}
}

func (a ServerArgs) Backend() Backend { return Backend{Libvirt: a.Libvirt, OpenStack: a.OpenStack} }

// Run puts the role between what must come before it and what may wait: the clock,
// the role, the exporter, the logs, and what follows the role once the cluster runs.
func (a ServerArgs) Run(role, after guest.State, logs []host.Log, doors []host.Door) (guest.State, error) {
	ip := a.Backend().IPs()[0]
	forwarding, err := a.Fluentbit.State(a.name(), ip, append(logs, host.Logs...))
	if err != nil {
		return guest.State{}, err
	}
	s := guest.State{Machine: a.name(), Install: ptr.Value(a.InstallDependencies), AptProxy: ptr.Value(a.AptProxy)}
	var rest guest.State
	rest.Add(host.LoginsAndJournal(ptr.Value(a.SSHAdminUser)), a.Firewall.State(a.doors(doors)), role, forwarding, after)
	// The exporter first: by it an update learns of a role that does not come up, or of packages that do not.
	s.Add(a.Backend().chosen().State(), a.Chrony.State(), host.Exporter(ip))
	s.Add(a.Software.State(slices.Concat(s.Packages, rest.Packages), !a.isHandedMore()), rest)
	return s, nil
}

// doors are those of the role, and what every machine has.
func (a ServerArgs) doors(role []host.Door) []host.Door {
	return slices.Concat(role, host.Doors, a.Fluentbit.Doors())
}

// ValidateServer returns what is wrong with a at now: logs are those that the role
// writes, doors its ports.
func (a ServerArgs) ValidateServer(now time.Time, logs []host.Log, doors []host.Door) check.List {
	var l check.List
	l.Check("name", check.HostName(a.name()))
	user := ptr.Value(a.SSHAdminUser)
	l.Check("sshAdminUser", check.UserName(user))
	switch {
	case host.IsSystemAccount(user):
		l.Add("sshAdminUser", "must be a user of your own, not %s: the distribution has a user or group of that name", user)
	case host.IsServiceUser(user):
		l.Add("sshAdminUser", "must be a user of your own, not %s: a service runs as that user, and could then use sudo", user)
	}
	l.Check("sshAdminPublicKey", check.SSHPublicKey(a.SSHAdminPublicKey))
	if strings.ContainsAny(ptr.Value(a.AdminUserPassword), "\r\n") {
		l.Add("adminUserPassword", "must be one line")
	}
	l.Under("", a.Backend().validate())
	if proxy := ptr.Value(a.AptProxy); proxy != "" {
		l.Check("aptProxy", check.URL(proxy))
	}
	if a.Chrony != nil {
		l.Under("chrony", a.Chrony.Validate())
	}
	if a.Fluentbit != nil {
		l.Under("fluentbit", a.Fluentbit.Validate(now, append(logs, host.Logs...), slices.Concat(doors, host.Doors)))
	}
	l.Under("firewall", a.Firewall.Validate(a.doors(doors)))
	if a.Software != nil {
		l.Under("software", a.Software.Validate(now))
		if !ptr.Value(a.InstallDependencies) {
			l.Add("software", "must not be given with installDependencies: false, with which nothing is downloaded").Shape().Needing("installDependencies")
		}
	}
	return l
}

// ValidateArtifacts requires artifacts to be among those that a role takes.
func ValidateArtifacts(given map[string]host.Artifact, archives ...string) check.List {
	var l check.List
	for _, name := range slices.Sorted(maps.Keys(given)) {
		path := check.Join("artifacts", name)
		switch {
		case len(archives) == 0:
			l.Add(path, "is not an artifact of this resource, which takes packages only")
		case !slices.Contains(archives, name):
			l.Add(path, "is not an artifact of this resource, which takes %s", check.Or(archives))
		}
		l.Under(path, given[name].Validate())
	}
	return l
}

// Fits requires the backend to take what the machine is handed. What is made for it
// is not there yet, so that more may turn out to be too much. A drive of libvirt has room for all.
func (a ServerArgs) Fits(made map[string]string, render func(made map[string]string) (guest.State, error)) check.List {
	var l check.List
	if a.OpenStack == nil {
		return nil
	}
	a.AdminUserPassword = nil // its hash takes long
	s, err := render(made)
	if err != nil {
		return nil // the machine's documents will say so
	}
	f, err := a.fresh()
	if err != nil {
		return nil
	}
	if _, err := host.Deliver(s, &f.user); err != nil {
		return nil
	}
	if reason, err := a.Backend().chosen().CheckSize(f.user); err == nil && reason != "" {
		l.Add(a.Backend().Input(), "%s", reason).Shape()
	}
	return l
}

// Endpoint is an address and port, as ip:port.
func Endpoint(ip pulumi.StringOutput, port int) pulumi.StringOutput {
	return fault.Apply(ip, func(ip string) string { return ports.At(ip, port) }).(pulumi.StringOutput)
}

// Register registers a component, and gives the options of its children. They
// inherit the provider from their parent, but not the timeouts.
func Register(ctx *pulumi.Context, token, name string, c pulumi.ComponentResource, opts []pulumi.ResourceOption) ([]pulumi.ResourceOption, error) {
	if err := ctx.RegisterComponentResource(token, name, c, opts...); err != nil {
		return nil, err
	}
	given, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return nil, err
	}
	libvirt.WarnOfRace(ctx, c, given.Providers)
	children := []pulumi.ResourceOption{pulumi.Parent(c)}
	if given.CustomTimeouts != nil {
		children = append(children, pulumi.Timeouts(given.CustomTimeouts))
	}
	return children, nil
}
