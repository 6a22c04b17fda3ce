// The etcd cluster of the platform, whose users have passwords.
package main

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	settings := config.New(ctx, "")
	pool, subnet := settings.Require("pool"), settings.Require("subnet")

	var members quorum.EtcdClusterMachineArray
	for n := 1; n <= 3; n++ {
		members = append(members, quorum.EtcdClusterMachineArgs{
			Name: pulumi.String(fmt.Sprintf("etcd-%d", n)),
			Ip:   pulumi.String(fmt.Sprintf("%s.%d", subnet, 10+n)),
		})
	}
	s3 := quorum.S3Args{
		Endpoint:  pulumi.String(settings.Require("s3Endpoint")),
		Bucket:    pulumi.String(settings.Require("s3Bucket")),
		Prefix:    pulumi.String("etcd"),
		AccessKey: settings.RequireSecret("s3AccessKey"),
		SecretKey: settings.RequireSecret("s3SecretKey"),
		CaCert:    pulumi.String(settings.Require("s3CaCert")),
	}
	var restore quorum.EtcdRestorePtrInput
	if key, err := settings.TrySecret("restoreKey"); err == nil { // of the lost cluster
		restore = quorum.EtcdRestoreArgs{S3: s3, EncryptionKey: key}
	}
	etcd, err := quorum.NewEtcdCluster(ctx, "etcd", &quorum.EtcdClusterArgs{
		SshAdminPublicKey:   pulumi.String(settings.Require("sshPublicKey")),
		InstallDependencies: pulumi.Bool(settings.RequireBool("installDependencies")),
		// Patroni reaches etcd 3 over HTTP, and that with a password only.
		Etcd:    quorum.EtcdSettingsArgs{GrpcGatewayEnabled: pulumi.Bool(true), ClientCertAuth: pulumi.Bool(false)},
		Backup:  quorum.EtcdBackupArgs{S3: s3},
		Restore: restore,
		Libvirt: quorum.LibvirtMachineArgs{ // of each machine
			Vcpus:      pulumi.Int(settings.RequireInt("vcpus")),
			Memory:     pulumi.Int(settings.RequireInt("memory")),
			DomainType: quorum.DomainType(settings.Require("domainType")),
			Volume: quorum.LibvirtVolumeArgs{
				Pool:           pulumi.String(pool),
				BaseVolumeName: pulumi.String(settings.Require("baseVolume")),
			},
			// etcd's data: it outlives the machine
			DataVolume:          quorum.LibvirtDataVolumeArgs{Pool: pulumi.String(pool), Size: pulumi.Int(10 << 30)},
			CloudInitVolumePool: pulumi.String(pool),
			Networks: quorum.LibvirtNetworkArray{quorum.LibvirtNetworkArgs{
				NetworkName:  pulumi.String(settings.Require("network")),
				PrefixLength: pulumi.Int(24),
				Gateway:      pulumi.String(subnet + ".1"),
				DnsServers:   pulumi.StringArray{pulumi.String(subnet + ".1")},
			}},
		},
		Members: members,
	})
	if err != nil {
		return err
	}

	ctx.Export("endpoints", etcd.Endpoints)
	ctx.Export("caCert", etcd.CaCert)
	ctx.Export("rootPassword", etcd.RootPassword)
	ctx.Export("backupEncryptionKey", etcd.BackupEncryptionKey)
	ctx.Export("backupTimes", etcd.BackupTimes)
	return nil
}
