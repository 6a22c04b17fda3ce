package provider

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/patroni"
)

// node is what the i-th node is to be. Its passwords, and what its certificate
// is for, come when they are made.
func (a PostgresClusterArgs) node(i int) PostgresServerArgs {
	user, certificate, settings := a.etcdUser(), value(a.Certificate), value(a.Postgres)
	return PostgresServerArgs{
		Name: &a.Nodes[i].Name, Libvirt: a.Nodes[i].Libvirt, OpenStack: a.Nodes[i].OpenStack,
		SSHAdminUser: a.SSHAdminUser, SSHAdminPublicKey: a.SSHAdminPublicKey, AdminUserPassword: a.AdminUserPassword,
		InstallDependencies: a.InstallDependencies, AptProxy: a.AptProxy, Chrony: a.Chrony, Fluentbit: a.Fluentbit,
		Postgres: patroni.Postgres{
			Version: settings.Version, Params: settings.Params, RewindPassword: settings.RewindPassword,
			SuperuserPassword: value(settings.SuperuserPassword), ReplicatorPassword: value(settings.ReplicatorPassword),
		},
		Patroni: a.Patroni,
		Etcd:    host.EtcdConnection{Endpoints: a.Etcd.Endpoints, CACert: a.Etcd.CACert, Username: &user},
		CA:      &CA{}, TrustedCACerts: a.TrustedCACerts, Certificate: &certificate,
	}
}

// loadBalancer is what the i-th load balancer is to be.
func (a PostgresClusterArgs) loadBalancer(i int) PostgresLoadBalancerArgs {
	settings := value(a.Haproxy)
	if settings.Domain == nil {
		for _, n := range a.Nodes {
			settings.Servers = append(settings.Servers, n.site().ip())
		}
	}
	return PostgresLoadBalancerArgs{
		Name: &a.LoadBalancers[i].Name, Libvirt: a.LoadBalancers[i].Libvirt, OpenStack: a.LoadBalancers[i].OpenStack,
		SSHAdminUser: a.SSHAdminUser, SSHAdminPublicKey: a.SSHAdminPublicKey, AdminUserPassword: a.AdminUserPassword,
		InstallDependencies: a.InstallDependencies, AptProxy: a.AptProxy, Chrony: a.Chrony, Fluentbit: a.Fluentbit,
		Haproxy: settings, ContainerRegistry: a.ContainerRegistry,
		CA: &CA{}, TrustedCACerts: a.TrustedCACerts, Certificate: a.Certificate,
	}
}

// from says where a machine of the cluster has its inputs from.
func from(at string, more ...string) map[string]string {
	all := map[string]string{"name": at + ".name", "libvirt": at + ".libvirt", "openstack": at + ".openstack"}
	for _, same := range append(more, "sshAdminUser", "sshAdminPublicKey", "adminUserPassword", "installDependencies", "aptProxy", "chrony", "fluentbit", "certificate", "trustedCaCerts") {
		all[same] = same
	}
	return all
}

// node are the inputs of the i-th node.
func (r *postgresRoll) node(i int) inputs.Inputs[PostgresServerArgs] {
	var ips, names pulumi.StringArray
	for j := range r.in.Args.LoadBalancers {
		ips = append(ips, r.balancerIP(j))
		names = append(names, r.in.RequiredString(check.Index("loadBalancers", j)+".name"))
	}
	args := r.in.Args.node(i)
	args.Certificate.ExtraIPs, args.Certificate.Domains = nil, nil // they are made
	return inputs.Derive(r.in, args, from(check.Index("nodes", i), "postgres", "patroni", "etcd.endpoints", "etcd.caCert"), r.nodeGroups.put(r.in.Args.Nodes[i].site(), map[string]pulumi.Output{
		"ca.cert": r.ca.Cert, "ca.key": r.ca.Key, "etcd.username": r.user(),
		// Clients check that they are where they connect to: at a load balancer.
		"certificate.extraIps": concat(ips, r.in.Strings("certificate.extraIps")),
		"certificate.domains":  concat(names, r.in.Strings("certificate.domains"), r.domains(check.Index("nodes", i)+".name")),
	}))
}

// loadBalancer are the inputs of the i-th load balancer.
func (r *postgresRoll) loadBalancer(i int) inputs.Inputs[PostgresLoadBalancerArgs] {
	made := map[string]pulumi.Output{"ca.cert": r.ca.Cert, "ca.key": r.ca.Key}
	args := r.in.Args.loadBalancer(i)
	taken := from(check.Index("loadBalancers", i), "haproxy", "containerRegistry")
	for j := range args.Haproxy.Servers {
		taken[check.Index("haproxy.servers", j)] = r.in.Args.Nodes[j].site().ipPaths(check.Index("nodes", j))[0]
	}
	return inputs.Derive(r.in, args, taken, r.balancerGroups.put(r.in.Args.LoadBalancers[i].site(), made))
}

func (r *postgresRoll) nodeIP(i int) pulumi.StringOutput {
	return r.in.Args.Nodes[i].site().addresses(r.in, check.Index("nodes", i))[0].ToStringOutput()
}

func (r *postgresRoll) balancerIP(i int) pulumi.StringOutput {
	return r.in.Args.LoadBalancers[i].site().addresses(r.in, check.Index("loadBalancers", i))[0].ToStringOutput()
}

// endpoints are those of all load balancers at a port, once gate has passed.
func (r *postgresRoll) endpoints(gate *postgresHealth, port int) pulumi.StringArrayOutput {
	var all pulumi.StringArray
	for i := range r.in.Args.LoadBalancers {
		all = append(all, gate.lets(endpoint(r.balancerIP(i), port)))
	}
	return all.ToStringArrayOutput()
}
