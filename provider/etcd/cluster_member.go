package etcd

import (
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// memberArgs are the inputs of a member of a cluster: those of an EtcdServer, and what takes
// the cluster's root.
type memberArgs struct {
	EtcdServerArgs

	Backup  *backup.Settings `pulumi:"backup,optional" json:",omitempty"`
	Restore *backup.Restore  `pulumi:"restore,optional" json:",omitempty"`
}

var memberRole = server.Role[memberArgs, *EtcdServer]{
	Token: etcdServerToken, HasData: true, Certificates: etcdCerts[memberArgs], State: memberArgs.state, Outputs: etcdOutputs[memberArgs],
}

// Among what is made for a member.
const (
	rootPassword  = "rootPassword"
	rootCert      = "rootCert"
	rootKey       = "rootKey"
	backupKey     = "backupEncryptionKey"
	recovery      = "recovery" // id of the one that its data are for, if any
	chosenForData = "restore"  // when it was decided to found the cluster from a snapshot
)

func (a memberArgs) state(made map[string]string) (guest.State, error) {
	member := a.member()
	member.Backups.Chosen = admin.ChosenAt(made[chosenForData])
	member.Backups.Root = backup.Root{Cert: made[rootCert], Key: made[rootKey], Password: made[rootPassword]}
	if key, has := made[backupKey]; has {
		settings := *a.Backup
		settings.EncryptionKey = &key
		member.Backups.Backup = &settings
	}
	return a.machine(member, made)
}

func (a memberArgs) member() config.Config {
	c := a.EtcdServerArgs.member()
	c.Backups.Backup, c.Backups.Restore = a.Backup, a.Restore
	return c
}

// SteadyState is a without what it reads only while it has no data.
func (a memberArgs) SteadyState() memberArgs {
	a.EtcdServerArgs, a.Restore = a.EtcdServerArgs.SteadyState(), nil
	return a
}

// made is what is made for a member: of root's secrets those it needs, the key of backups, and
// what is to become of its data.
func (r *etcdRoll) made(member string) pulumi.StringMap {
	made := pulumi.StringMap{}
	maps.Copy(made, r.root.secrets)
	if r.in.Args.hasBackups() && r.root.byCert {
		made[rootCert], made[rootKey] = r.root.cert.Elem(), r.root.key.Elem()
	}
	if r.backupKey != nil {
		made[backupKey] = r.backupKey
	}
	switch {
	case r.in.Args.Restore != nil:
		made[chosenForData] = r.recovery
	case ptr.Value(r.in.Args.RecoverFrom) == member:
		made[recovery] = r.recovery
	}
	return made
}
