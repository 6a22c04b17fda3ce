// DNS for the platform: CoreDNS, with zones that lie in etcd.
import * as pulumi from "@pulumi/pulumi";
import * as quorum from "pulumi-quorum";

export = async () => {
    const settings = new pulumi.Config();
    const pool = settings.require("pool");
    const subnet = settings.require("subnet");
    const domain = settings.require("domain");

    const etcd = new pulumi.StackReference("etcd", { name: settings.require("etcdStack") });
    const cluster = {
        endpoints: etcd.requireOutput("endpoints") as pulumi.Output<string[]>,
        caCert: etcd.requireOutput("caCert") as pulumi.Output<string>,
    };
    const root = {
        ...cluster,
        username: "root",
        password: etcd.requireOutput("rootPassword") as pulumi.Output<string>,
    };

    const role = new quorum.EtcdRole("coredns-role", {
        etcd: root,
        name: "coredns",
        permissions: [{ prefix: "/zones/", permission: "read" }],
    });
    const password = settings.requireSecret("etcdPassword"); // of etcd's user coredns, which is made here
    const user = new quorum.EtcdUser("coredns", { etcd: root, password, roles: [role.name] });

    const server = new quorum.CorednsServer("dns-1", {
        sshAdminPublicKey: settings.require("sshPublicKey"),
        installDependencies: settings.requireBoolean("installDependencies"),
        libvirt: {
            vcpus: settings.requireNumber("vcpus"),
            memory: settings.requireNumber("memory"),
            domainType: settings.require<quorum.DomainType>("domainType"),
            volume: { pool, baseVolumeName: settings.require("baseVolume") },
            cloudInitVolumePool: pool,
            networks: [{
                networkName: settings.require("network"),
                ip: `${subnet}.21`,
                prefixLength: 24,
                gateway: `${subnet}.1`,
                dnsServers: [`${subnet}.1`],
            }],
        },
        etcd: { ...cluster, username: user.name, password },
        keyPrefix: "/zones/",
        dns: { alternateDnsServers: [`${subnet}.1`] },
    });

    const zone = new quorum.DnsZone("zone", {
        etcd: root,
        domain,
        nameservers: ["dns-1"],
        records: { a: [{ name: "dns-1", addresses: [server.ip] }] },
    });

    // The update ends when the server has its configuration, and serves the zone as it is now.
    new quorum.DnsHealth("served", {
        servers: [server.ip],
        domain,
        serial: zone.serial,
        names: ["dns-1"],
        generations: [server.generation],
        triggers: { machine: server.machineId },
    }, { customTimeouts: { create: "30m", update: "30m" } }); // the machine may have to boot

    return {
        nameserver: server.ip,
        nameserverName: `dns-1.${domain}.`,
        domain,
    };
};
