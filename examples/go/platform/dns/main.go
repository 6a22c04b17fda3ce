// DNS for the platform: CoreDNS, with zones that lie in etcd.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

func main() { pulumi.Run(program) }

func program(ctx *pulumi.Context) error {
	settings := config.New(ctx, "")
	pool, subnet, domain := settings.Require("pool"), settings.Require("subnet"), pulumi.String(settings.Require("domain"))

	etcd, err := pulumi.NewStackReference(ctx, "etcd", &pulumi.StackReferenceArgs{
		Name: pulumi.String(settings.Require("etcdStack")),
	})
	if err != nil {
		return err
	}
	root := quorum.EtcdConnectionArgs{
		Endpoints: endpoints(etcd),
		CaCert:    etcd.GetStringOutput(pulumi.String("caCert")),
		Username:  pulumi.String("root"),
		Password:  etcd.GetStringOutput(pulumi.String("rootPassword")),
	}

	role, err := quorum.NewEtcdRole(ctx, "coredns-role", &quorum.EtcdRoleArgs{
		Etcd: root,
		Name: pulumi.String("coredns"),
		Permissions: quorum.EtcdPermissionArray{
			quorum.EtcdPermissionArgs{Prefix: pulumi.String("/zones/"), Permission: quorum.PermissionTypeRead},
		},
	})
	if err != nil {
		return err
	}
	password := settings.RequireSecret("etcdPassword") // of etcd's user coredns, which is made here
	user, err := quorum.NewEtcdUser(ctx, "coredns", &quorum.EtcdUserArgs{
		Etcd:     root,
		Password: password,
		Roles:    pulumi.StringArray{role.Name},
	})
	if err != nil {
		return err
	}

	server, err := quorum.NewCorednsServer(ctx, "dns-1", &quorum.CorednsServerArgs{
		SshAdminPublicKey:   pulumi.String(settings.Require("sshPublicKey")),
		InstallDependencies: pulumi.Bool(settings.RequireBool("installDependencies")),
		Libvirt: quorum.LibvirtMachineArgs{
			Vcpus:      pulumi.Int(settings.RequireInt("vcpus")),
			Memory:     pulumi.Int(settings.RequireInt("memory")),
			DomainType: quorum.DomainType(settings.Require("domainType")),
			Volume: quorum.LibvirtVolumeArgs{
				Pool:           pulumi.String(pool),
				BaseVolumeName: pulumi.String(settings.Require("baseVolume")),
			},
			CloudInitVolumePool: pulumi.String(pool),
			Networks: quorum.LibvirtNetworkArray{quorum.LibvirtNetworkArgs{
				NetworkName:  pulumi.String(settings.Require("network")),
				Ip:           pulumi.String(subnet + ".21"),
				PrefixLength: pulumi.Int(24),
				Gateway:      pulumi.String(subnet + ".1"),
				DnsServers:   pulumi.StringArray{pulumi.String(subnet + ".1")},
			}},
		},
		Etcd: quorum.EtcdConnectionArgs{
			Endpoints: root.Endpoints,
			CaCert:    root.CaCert,
			Username:  user.Name,
			Password:  password,
		},
		KeyPrefix: pulumi.String("/zones/"),
		Dns:       quorum.CorednsDnsArgs{AlternateDnsServers: pulumi.StringArray{pulumi.String(subnet + ".1")}},
	})
	if err != nil {
		return err
	}

	zone, err := quorum.NewDnsZone(ctx, "zone", &quorum.DnsZoneArgs{
		Etcd:        root,
		Domain:      domain,
		Nameservers: pulumi.StringArray{pulumi.String("dns-1")},
		Records: quorum.DnsRecordsArgs{A: quorum.DnsAddressRecordArray{
			quorum.DnsAddressRecordArgs{Name: pulumi.String("dns-1"), Addresses: pulumi.StringArray{server.Ip}},
		}},
	})
	if err != nil {
		return err
	}

	// The update ends when the server has its configuration, and serves the zone as it is now.
	_, err = quorum.NewDnsHealth(ctx, "served", &quorum.DnsHealthArgs{
		Servers:     pulumi.StringArray{server.Ip},
		Domain:      domain,
		Serial:      zone.Serial,
		Names:       pulumi.StringArray{pulumi.String("dns-1")},
		Triggers:    pulumi.StringMap{"machine": server.MachineId},
		Generations: pulumi.StringArray{server.Generation},
	}, pulumi.Timeouts(&pulumi.CustomTimeouts{Create: "30m", Update: "30m"})) // the machine may have to boot
	if err != nil {
		return err
	}

	ctx.Export("nameserver", server.Ip)
	ctx.Export("nameserverName", pulumi.Sprintf("dns-1.%s.", domain))
	ctx.Export("domain", domain)
	return nil
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
