// Package provider is the quorum package for Pulumi: the list of its resources.
package provider

import (
	"context"
	"os"
	"runtime/debug"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/pulumi-quorum/pulumi-quorum/provider/change"
	"github.com/pulumi-quorum/pulumi-quorum/provider/dns"
	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/zone"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres"
	databases "github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

// Name is the name of the package.
const Name = "quorum"

const description = "etcd, highly available PostgreSQL, DNS and load balancing on your own virtual machines, without Kubernetes."

// Serve answers the Pulumi engine until ctx ends.
func Serve(ctx context.Context) error {
	provider, err := New()
	if err != nil {
		return err
	}
	sendMessages()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // of less than 20 MB that are in use, with a hundred machines, too
	}
	return p.RunProvider(ctx, Name, version.String(), provider)
}

// New makes the provider.
func New() (p.Provider, error) {
	provider, err := infer.NewProviderBuilder().
		WithDisplayName("Quorum").
		WithDescription(description).
		WithKeywords("category/infrastructure", "kind/component", "etcd", "postgresql", "patroni", "libvirt", "openstack").
		WithRepository("https://github.com/pulumi-quorum/pulumi-quorum").
		WithPublisher("pulumi-quorum").
		WithLicense("Apache-2.0").
		WithPluginDownloadURL("github://api.github.com/pulumi-quorum").
		WithLanguageMap(languages).
		// All tokens are of one module, whichever Go package a type is in.
		WithModuleMap(map[tokens.ModuleName]tokens.ModuleName{
			"admin": "index", "backup": "index", "change": "index", "config": "index", "coredns": "index", "dns": "index", "etcd": "index", "haproxy": "index", "health": "index", "host": "index",
			"libvirt": "index", "openstack": "index", "patroni": "index", "postgres": "index", "server": "index", "zone": "index",
		}).
		WithResources(
			inputs.Resource(admin.Health{}),
			inputs.Resource(admin.Guard{}),
			inputs.Resource(admin.Member{}),
			inputs.Resource(admin.Recovery{}),
			inputs.Resource(zone.Zone{}),
			inputs.Resource(zone.Health{}),
			inputs.Resource(health.Health{}),
			inputs.Resource(health.Guard{}),
			inputs.Resource(change.Machine{}),
			inputs.Resource(change.Cluster{}),
			inputs.Resource(change.Data{}),
			inputs.Resource(change.Identity{}),
			inputs.Resource(postgres.Stanza{}),
			inputs.Resource(health.Restoration{}),
		).
		WithComponents(
			inputs.Component(etcd.NewEtcdCluster),
			inputs.Component(etcd.NewEtcdSecurityGroups),
			inputs.Component(etcd.NewEtcdServer),
			inputs.Component(dns.NewCorednsServer),
			inputs.Component(postgres.NewPostgresCluster),
			inputs.Component(postgres.NewPostgresLoadBalancer),
			inputs.Component(postgres.NewPostgresServer),
		).
		WithResources(
			inputs.Resource(admin.User{}),
			inputs.Resource(admin.Role{}),
			inputs.Resource(admin.Key{}),
			inputs.Resource(databases.User{}),
			inputs.Resource(databases.Database{}),
			inputs.Resource(databases.Grant{}),
		).
		WithFunctions(infer.Function(postgres.GetConnection{})).
		Build()
	if err != nil {
		return provider, err
	}
	return running.Track(inputs.Provider(provider, server.Optional, showExamples)), nil
}
