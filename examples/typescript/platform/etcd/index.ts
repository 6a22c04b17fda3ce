// The etcd cluster of the platform, whose users have passwords.
import * as pulumi from "@pulumi/pulumi";
import * as quorum from "pulumi-quorum";

export = async () => {
    const settings = new pulumi.Config();
    const pool = settings.require("pool");
    const subnet = settings.require("subnet");

    const s3 = {
        endpoint: settings.require("s3Endpoint"),
        bucket: settings.require("s3Bucket"),
        prefix: "etcd",
        accessKey: settings.requireSecret("s3AccessKey"),
        secretKey: settings.requireSecret("s3SecretKey"),
        caCert: settings.require("s3CaCert"),
    };
    const restoreKey = settings.getSecret("restoreKey"); // of the lost cluster

    const etcd = new quorum.EtcdCluster("etcd", {
        sshAdminPublicKey: settings.require("sshPublicKey"),
        installDependencies: settings.requireBoolean("installDependencies"),
        // Patroni reaches etcd 3 over HTTP, and that with a password only.
        etcd: { grpcGatewayEnabled: true, clientCertAuth: false },
        backup: { s3 },
        restore: restoreKey && { s3, encryptionKey: restoreKey },
        libvirt: { // of each machine
            vcpus: settings.requireNumber("vcpus"),
            memory: settings.requireNumber("memory"),
            domainType: settings.require<quorum.DomainType>("domainType"),
            volume: { pool, baseVolumeName: settings.require("baseVolume") },
            dataVolume: { pool, size: 10 * 1024 ** 3 }, // etcd's data: it outlives the machine
            cloudInitVolumePool: pool,
            networks: [{
                networkName: settings.require("network"),
                prefixLength: 24,
                gateway: `${subnet}.1`,
                dnsServers: [`${subnet}.1`],
            }],
        },
        members: [1, 2, 3].map(n => ({ name: `etcd-${n}`, ip: `${subnet}.${10 + n}` })),
    });

    return {
        endpoints: etcd.endpoints,
        caCert: etcd.caCert,
        rootPassword: etcd.rootPassword,
        backupEncryptionKey: etcd.backupEncryptionKey,
        backupTimes: etcd.backupTimes,
    };
};
