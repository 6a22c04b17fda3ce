// PostgreSQL on three machines, and two load balancers with the address that clients use.
import * as pulumi from "@pulumi/pulumi";
import * as quorum from "pulumi-quorum";

export = async () => {
    const settings = new pulumi.Config();
    const pool = settings.require("pool");
    const subnet = settings.require("subnet");

    const etcd = new pulumi.StackReference("etcd", { name: settings.require("etcdStack") });
    const dns = new pulumi.StackReference("dns", { name: settings.require("dnsStack") });
    const root = {
        endpoints: etcd.requireOutput("endpoints") as pulumi.Output<string[]>,
        caCert: etcd.requireOutput("caCert") as pulumi.Output<string>,
        username: "root",
        password: etcd.requireOutput("rootPassword") as pulumi.Output<string>,
    };

    const s3 = {
        endpoint: settings.require("s3Endpoint"),
        bucket: settings.require("s3Bucket"),
        prefix: "postgres",
        accessKey: settings.requireSecret("s3AccessKey"),
        secretKey: settings.requireSecret("s3SecretKey"),
        caCert: settings.require("s3CaCert"),
    };
    const restoreKey = settings.getSecret("restoreKey"); // of the lost cluster

    const main = new quorum.PostgresCluster("main", {
        sshAdminPublicKey: settings.require("sshPublicKey"),
        installDependencies: settings.requireBoolean("installDependencies"),
        etcd: root,
        patroni: {
            scope: "platform",
            watchdogMode: settings.require<quorum.WatchdogMode>("watchdogMode"),
        },
        postgres: { params: { max_connections: "200" } },
        backup: { s3 },
        restore: restoreKey && { s3, stanza: settings.require("restoreStanza"), encryptionKey: restoreKey },
        libvirt: { // of each machine
            vcpus: settings.requireNumber("vcpus"),
            memory: settings.requireNumber("memory"),
            domainType: settings.require<quorum.DomainType>("domainType"),
            volume: { pool, baseVolumeName: settings.require("baseVolume") },
            dataVolume: { pool, size: 10 * 1024 ** 3 }, // PostgreSQL's data: it outlives the machine, and load balancers have none
            cloudInitVolumePool: pool,
            networks: [{
                networkName: settings.require("network"),
                prefixLength: 24,
                gateway: `${subnet}.1`,
                dnsServers: [`${subnet}.1`],
            }],
        },
        nodes: [1, 2, 3].map(n => ({ name: `postgres-${n}`, ip: `${subnet}.${30 + n}` })),
        loadBalancers: [1, 2].map(n => ({ name: `postgres-lb-${n}`, ip: `${subnet}.${40 + n}` })),
        virtualIp: { address: `${subnet}.40` }, // one of them has it
        pooler: {}, // PgBouncer, on ports 6432 and 6433 of the load balancers
        // The zone with the names of these machines, which the load balancers find the nodes by.
        dns: {
            etcd: root,
            domain: pulumi.interpolate`postgres.${dns.requireOutput("domain")}`,
            nameservers: [dns.requireOutput("nameserverName")],
        },
        haproxy: {
            domain: pulumi.interpolate`nodes.postgres.${dns.requireOutput("domain")}`,
            nameserverIps: [dns.requireOutput("nameserver")],
            postgresNodesMaxCount: 3,
        },
    });

    return {
        primary: main.primaryEndpoints,
        replicas: main.replicaEndpoints,
        poolerPrimary: main.poolerPrimaryEndpoints,
        caCert: main.caCert,
        clientCert: main.clientCert,
        clientKey: main.clientKey,
        superuserPassword: main.superuserPassword,
        replicatorPassword: main.replicatorPassword,
        backupStanza: main.backupStanza,
        backupEncryptionKey: main.backupEncryptionKey,
        backupTimes: main.backupTimes,
    };
};
