package postgres

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// postgresStanza is a PostgresStanza as its output is used here.
type postgresStanza struct {
	pulumi.CustomResourceState

	Stanza pulumi.StringOutput `pulumi:"stanza"`
}

// identifyBackups makes the key and the name that backups have, unless they are given.
func (r *postgresRoll) identifyBackups(ctx *pulumi.Context) (err error) {
	given := r.in.Args.Backup
	if given == nil {
		return nil
	}
	if r.passwords[backupKey], err = server.Password(ctx, r.cluster+"-backup-password", r.in.String("backup.encryptionKey"), r.opts); err != nil {
		return err
	}
	if given.Stanza != nil {
		r.passwords[backupStanza] = r.in.RequiredString("backup.stanza")
		return nil
	}
	made := &postgresStanza{}
	args := pulumi.Map{"scope": r.in.RequiredString("patroni.scope")}
	if r.in.Args.Restore != nil {
		args["source"] = r.in.RequiredString("restore.stanza")
	}
	err = ctx.RegisterResource("quorum:index:PostgresStanza", r.cluster+"-stanza", args, made, r.options()...)
	r.passwords[backupStanza] = made.Stanza
	return err
}

// postgresRestoration is a PostgresRestoration as its output is used here.
type postgresRestoration struct {
	pulumi.CustomResourceState

	Restoration pulumi.StringOutput `pulumi:"restoration"`
}

// aboutRestore are the inputs that are told of a restore: no key is among them.
var aboutRestore = []string{"restore.s3.endpoint", "restore.s3.bucket", "restore.s3.prefix", "restore.stanza", "restore.set", "restore.target"}

// restore registers what decides whether the cluster is founded from a backup.
func (r *postgresRoll) restore(ctx *pulumi.Context) error {
	if r.in.Args.Restore == nil {
		return nil
	}
	var nodes, instances pulumi.Array
	for i, n := range r.in.Args.Nodes {
		if n.OpenStack != nil {
			instances = append(instances, pulumi.Sprintf("%s-%s-instance", r.cluster, r.in.RequiredString(check.Index("nodes", i)+".name")))
		}
		nodes = append(nodes, pulumi.Map{"name": pulumi.String(n.Name), "ip": r.nodeIP(i), "apiPort": pulumi.Int(ports.Patroni)})
	}
	source := server.HashOf(r.in, inputs.Only("restore"), func() (string, error) { return r.in.Args.Restore.Source(), nil })
	made := &postgresRestoration{}
	args := pulumi.Map{
		"nodes": nodes, "caCert": server.Trusted(r.in, r.ca.Cert), "clientCert": r.client.Cert, "clientKey": r.client.Key,
		"source": source, "about": r.in.Text(inputs.Only(aboutRestore...), func() string { return r.in.Args.Restore.About() }), "skipHealthChecks": r.in.Bool("skipHealthChecks"),
	}
	if len(instances) > 0 {
		args["instances"] = instances
		args["content"] = server.HashOf(r.in, inputs.Only("restore"), func() (string, error) { return guest.Hash(guest.Text(*r.in.Args.Restore)), nil })
	}
	err := ctx.RegisterResource("quorum:index:PostgresRestoration", r.cluster+"-restoration", args, made, r.options()...)
	r.passwords[restoration] = made.Restoration
	return err
}

// stanza is what the last gate waits for a backup of, or that it is nobody else's where the cluster is a standby.
func (r *postgresRoll) stanza() pulumi.StringPtrInput {
	if r.in.Args.Backup == nil {
		return nil
	}
	return r.passwords[backupStanza].ToStringOutput().ToStringPtrOutput()
}

// backupID is what nodes tell once they look after the backups as the program has them.
func (r *postgresRoll) backupID() pulumi.StringPtrInput {
	if r.in.Args.Backup == nil || r.in.Args.StandbyOf != nil {
		return nil
	}
	access := server.HashOf(r.in, inputs.Only("backup.s3"), func() (string, error) { return r.in.Args.Backup.Access(), nil })
	id := fault.Apply(pulumi.All(access, r.passwords[backupKey], r.passwords[backupStanza]), func(of []any) string {
		return backup.ID(of[0].(string), of[1].(string), of[2].(string))
	}).(pulumi.StringOutput)
	return server.Unsecret(id).ToStringPtrOutput()
}

// outputBackups are what another cluster needs to be restored from this one's backups.
func (r *postgresRoll) outputBackups(c *PostgresCluster, healthy *postgresHealth) {
	if r.in.Args.Backup == nil {
		return
	}
	after := func(name string) pulumi.StringPtrOutput {
		return healthy.afterGate(r.passwords[name].ToStringOutput()).ToStringPtrOutput()
	}
	c.BackupStanza, c.BackupEncryptionKey = server.Unsecret(after(backupStanza).Elem()).ToStringPtrOutput(), after(backupKey)
	c.BackupTimes = healthy.BackupTimes
}
