package postgres

import (
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// identify makes what the cluster is known by: its authority, its client of
// Patroni's API, its passwords, and its user of etcd with a role of its own.
func (r *postgresRoll) identify(ctx *pulumi.Context) (err error) {
	if r.ca, err = server.Authority(ctx, r.cluster, r.in, r.in.Args.CA, r.opts); err != nil {
		return err
	}
	r.client, err = server.Sign(ctx, r.cluster+"-client", server.SignedBy(r.ca, r.in), server.Subject{
		CommonName: pulumi.String(patroniClient), Uses: []string{"client_auth"},
	}, r.opts...)
	if err != nil {
		return err
	}
	r.passwords = pulumi.StringMap{}
	for name, p := range map[string]struct {
		made  string
		given pulumi.StringPtrInput
	}{
		"superuser-password":  {superuserPassword, r.in.String("postgres.superuserPassword")},
		"replicator-password": {replicatorPassword, r.in.String("postgres.replicatorPassword")},
		"etcd-password":       {etcdPassword, nil},
	} {
		if r.passwords[p.made], err = server.Password(ctx, r.cluster+"-"+name, p.given, r.opts); err != nil {
			return err
		}
	}
	if err = r.identifyBackups(ctx); err != nil {
		return err
	}
	if err = r.restore(ctx); err != nil {
		return err
	}
	if r.in.Args.Upgrade != nil {
		r.passwords[upgradeFrom] = r.in.RequiredString("upgrade.from")
		if r.in.Known("upgrade.from") { // whether Patroni restarts is decided by it
			r.passwords[upgradeFrom] = pulumi.String(r.in.Args.Upgrade.From)
		}
	}
	return r.makeEtcdUser(ctx)
}

// passwordsHash changes with the passwords by which nodes log in to each other.
func (r *postgresRoll) passwordsHash() pulumi.StringOutput {
	parts := pulumi.StringArray{r.passwords[superuserPassword], r.passwords[replicatorPassword]}
	if r.in.Args.Postgres != nil && r.in.Args.Postgres.RewindPassword != nil {
		parts = append(parts, r.in.RequiredString("postgres.rewindPassword"))
	}
	hash := fault.Apply(parts.ToStringArrayOutput(), func(parts []string) string { return guest.Hash(parts...) })
	return pulumi.ToSecret(hash).(pulumi.StringOutput)
}

// makeEtcdUser makes the user as whom Patroni logs in. It may do what it likes with
// the keys of this cluster, and nothing else.
func (r *postgresRoll) makeEtcdUser(ctx *pulumi.Context) error {
	role, user := &server.CustomResource{}, &server.CustomResource{}
	err := ctx.RegisterResource("quorum:index:EtcdRole", r.cluster+"-patroni", quorum.EtcdRoleArgs{
		Etcd: r.connection("etcd"), Name: r.user(),
		Permissions: quorum.EtcdPermissionArray{quorum.EtcdPermissionArgs{Prefix: r.keys(), Permission: quorum.PermissionTypeReadWrite}},
	}, role, r.options()...)
	if err != nil {
		return err
	}
	err = ctx.RegisterResource("quorum:index:EtcdUser", r.cluster+"-patroni", quorum.EtcdUserArgs{
		Etcd: r.connection("etcd"), Name: r.user(), Password: r.passwords[etcdPassword].ToStringOutput(), Roles: pulumi.StringArray{r.user()},
	}, user, r.options(pulumi.DependsOn([]pulumi.Resource{role}))...)
	r.first = append(r.first, user)
	return err
}

// user is the name that the user has in etcd, and its role.
func (r *postgresRoll) user() pulumi.StringOutput {
	return pulumi.Sprintf("patroni-%s", r.in.RequiredString("patroni.scope"))
}

func (a PostgresClusterArgs) etcdUser() string { return "patroni-" + a.Patroni.Scope }

var slashes = regexp.MustCompile(`/+`)

// keys are the prefix of the cluster's keys in etcd, made as Patroni makes it.
func (r *postgresRoll) keys() pulumi.StringOutput {
	return fault.Apply(pulumi.Sprintf("/%s/%s/", r.in.RequiredString("patroni.namespace"), r.in.RequiredString("patroni.scope")), func(path string) string {
		return slashes.ReplaceAllString(path, "/")
	}).(pulumi.StringOutput)
}

// connection is the EtcdConnection at a path.
func (r *postgresRoll) connection(path string) quorum.EtcdConnectionArgs {
	return quorum.EtcdConnectionArgs{
		Endpoints: r.in.Strings(path + ".endpoints"), CaCert: r.in.RequiredString(path + ".caCert"),
		ClientCert: r.in.String(path + ".clientCert"), ClientKey: r.in.String(path + ".clientKey"),
		Username: r.in.String(path + ".username"), Password: r.in.String(path + ".password"),
	}
}
