// An etcd cluster of three virtual machines on one hypervisor.
import * as pulumi from "@pulumi/pulumi";
import * as quorum from "pulumi-quorum";

export = async () => {
    const settings = new pulumi.Config();
    const pool = settings.require("pool");
    const subnet = settings.require("subnet");

    const etcd = new quorum.EtcdCluster("etcd", {
        sshAdminPublicKey: settings.require("sshPublicKey"),
        installDependencies: settings.requireBoolean("installDependencies"),
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
        rootCert: etcd.rootCert,
        rootKey: etcd.rootKey,
    };
};
