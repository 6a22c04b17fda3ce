package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

func (a EtcdClusterArgs) hasBackups() bool { return a.Backup != nil || a.Restore != nil }

// encryptBackups makes what backups are encrypted with, unless it is given.
func (r *etcdRoll) encryptBackups(ctx *pulumi.Context) error {
	if r.in.Args.Backup == nil {
		return nil
	}
	key, err := server.Password(ctx, r.cluster+"-backup-password", r.in.String("backup.encryptionKey"), r.opts)
	r.backupKey = key
	return err
}

// repository is what the last gate waits for a backup in.
func (r *etcdRoll) repository() pulumi.StringPtrInput {
	if r.in.Args.Backup == nil {
		return nil
	}
	name := inputs.Render(r.in, pulumi.StringMap{"key": r.backupKey}, inputs.Only("backup.s3"), func(made map[string]string) (any, error) {
		b, key := *r.in.Args.Backup, made["key"]
		b.EncryptionKey = &key
		return b.Repository(), nil
	})
	return server.Unsecret(fault.Apply(name, func(v any) string { return v.(string) }).(pulumi.StringOutput)).ToStringPtrOutput()
}

// outputBackups are what another cluster needs to be founded from this one's backups, and how they stand.
func (r *etcdRoll) outputBackups(c *EtcdCluster, healthy *etcdHealth) {
	c.BackupEncryptionKey = server.Absent()
	if r.in.Args.Backup == nil {
		return
	}
	c.BackupEncryptionKey = healthy.afterGate(r.backupKey.ToStringOutput().ToStringPtrOutput())
	c.BackupTimes = healthy.BackupTimes
}
