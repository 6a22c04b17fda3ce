// PostgreSQL on three machines, and two load balancers with the address that clients use.
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
	etcd, err := stack(ctx, "etcd", settings.Require("etcdStack"))
	if err != nil {
		return err
	}
	dns, err := stack(ctx, "dns", settings.Require("dnsStack"))
	if err != nil {
		return err
	}
	root := quorum.EtcdConnectionArgs{
		Endpoints: endpoints(etcd),
		CaCert:    etcd.GetStringOutput(pulumi.String("caCert")),
		Username:  pulumi.String("root"),
		Password:  etcd.GetStringOutput(pulumi.String("rootPassword")),
	}

	var nodes quorum.PostgresClusterMachineArray
	for n := 1; n <= 3; n++ {
		nodes = append(nodes, quorum.PostgresClusterMachineArgs{
			Name: pulumi.String(fmt.Sprintf("postgres-%d", n)),
			Ip:   pulumi.String(fmt.Sprintf("%s.%d", subnet, 30+n)),
		})
	}
	s3 := quorum.S3Args{
		Endpoint:  pulumi.String(settings.Require("s3Endpoint")),
		Bucket:    pulumi.String(settings.Require("s3Bucket")),
		Prefix:    pulumi.String("postgres"),
		AccessKey: settings.RequireSecret("s3AccessKey"),
		SecretKey: settings.RequireSecret("s3SecretKey"),
		CaCert:    pulumi.String(settings.Require("s3CaCert")),
	}
	var restore quorum.PostgresRestorePtrInput
	if key, err := settings.TrySecret("restoreKey"); err == nil { // of the lost cluster
		restore = quorum.PostgresRestoreArgs{
			S3: s3, Stanza: pulumi.String(settings.Require("restoreStanza")), EncryptionKey: key,
		}
	}
	domain := dns.GetStringOutput(pulumi.String("domain"))
	cluster, err := quorum.NewPostgresCluster(ctx, "main", &quorum.PostgresClusterArgs{
		SshAdminPublicKey:   pulumi.String(settings.Require("sshPublicKey")),
		InstallDependencies: pulumi.Bool(settings.RequireBool("installDependencies")),
		Etcd:                root,
		Patroni: quorum.PatroniSettingsArgs{
			Scope:        pulumi.String("platform"),
			WatchdogMode: quorum.WatchdogMode(settings.Require("watchdogMode")),
		},
		Postgres: quorum.PostgresClusterSettingsArgs{
			Params: pulumi.StringMap{"max_connections": pulumi.String("200")},
		},
		Backup:  quorum.PostgresBackupArgs{S3: s3},
		Restore: restore,
		Libvirt: quorum.LibvirtMachineArgs{ // of each machine
			Vcpus:      pulumi.Int(settings.RequireInt("vcpus")),
			Memory:     pulumi.Int(settings.RequireInt("memory")),
			DomainType: quorum.DomainType(settings.Require("domainType")),
			Volume: quorum.LibvirtVolumeArgs{
				Pool:           pulumi.String(pool),
				BaseVolumeName: pulumi.String(settings.Require("baseVolume")),
			},
			// PostgreSQL's data: it outlives the machine, and load balancers have none
			DataVolume:          quorum.LibvirtDataVolumeArgs{Pool: pulumi.String(pool), Size: pulumi.Int(10 << 30)},
			CloudInitVolumePool: pulumi.String(pool),
			Networks: quorum.LibvirtNetworkArray{quorum.LibvirtNetworkArgs{
				NetworkName:  pulumi.String(settings.Require("network")),
				PrefixLength: pulumi.Int(24),
				Gateway:      pulumi.String(subnet + ".1"),
				DnsServers:   pulumi.StringArray{pulumi.String(subnet + ".1")},
			}},
		},
		Nodes: nodes,
		LoadBalancers: quorum.PostgresClusterMachineArray{
			quorum.PostgresClusterMachineArgs{Name: pulumi.String("postgres-lb-1"), Ip: pulumi.String(subnet + ".41")},
			quorum.PostgresClusterMachineArgs{Name: pulumi.String("postgres-lb-2"), Ip: pulumi.String(subnet + ".42")},
		},
		VirtualIp: quorum.PostgresClusterVirtualIpArgs{Address: pulumi.String(subnet + ".40")}, // one of them has it
		Pooler:    quorum.PostgresPoolerArgs{},                                                 // PgBouncer, on ports 6432 and 6433 of the load balancers
		// The zone with the names of these machines, which the load balancers find the nodes by.
		Dns: quorum.PostgresClusterDnsArgs{
			Etcd:        root,
			Domain:      pulumi.Sprintf("postgres.%s", domain),
			Nameservers: pulumi.StringArray{dns.GetStringOutput(pulumi.String("nameserverName"))},
		},
		Haproxy: quorum.HaproxySettingsArgs{
			Domain:                pulumi.Sprintf("nodes.postgres.%s", domain),
			NameserverIps:         pulumi.StringArray{dns.GetStringOutput(pulumi.String("nameserver"))},
			PostgresNodesMaxCount: pulumi.Int(3),
		},
	})
	if err != nil {
		return err
	}

	ctx.Export("primary", cluster.PrimaryEndpoints)
	ctx.Export("replicas", cluster.ReplicaEndpoints)
	ctx.Export("poolerPrimary", cluster.PoolerPrimaryEndpoints)
	ctx.Export("caCert", cluster.CaCert)
	ctx.Export("clientCert", cluster.ClientCert)
	ctx.Export("clientKey", cluster.ClientKey)
	ctx.Export("superuserPassword", cluster.SuperuserPassword)
	ctx.Export("replicatorPassword", cluster.ReplicatorPassword)
	ctx.Export("backupStanza", cluster.BackupStanza)
	ctx.Export("backupEncryptionKey", cluster.BackupEncryptionKey)
	ctx.Export("backupTimes", cluster.BackupTimes)
	return nil
}

func stack(ctx *pulumi.Context, name, of string) (*pulumi.StackReference, error) {
	return pulumi.NewStackReference(ctx, name, &pulumi.StackReferenceArgs{Name: pulumi.String(of)})
}

// endpoints is the output of that name, a list.
func endpoints(etcd *pulumi.StackReference) pulumi.StringArrayOutput {
	return etcd.GetOutput(pulumi.String("endpoints")).ApplyT(func(list any) (all []string) {
		for _, endpoint := range list.([]any) {
			all = append(all, endpoint.(string))
		}
		return all
	}).(pulumi.StringArrayOutput)
}
