"""An etcd cluster of three virtual machines on one hypervisor."""

import pulumi
import pulumi_quorum as quorum


def quickstart() -> quorum.EtcdCluster:
    settings = pulumi.Config()
    pool = settings.require("pool")
    subnet = settings.require("subnet")

    etcd = quorum.EtcdCluster(
        "etcd",
        ssh_admin_public_key=settings.require("sshPublicKey"),
        install_dependencies=settings.require_bool("installDependencies"),
        libvirt={  # of each machine
            "vcpus": settings.require_int("vcpus"),
            "memory": settings.require_int("memory"),
            "domain_type": quorum.DomainType(settings.require("domainType")),
            "volume": {
                "pool": pool,
                "base_volume_name": settings.require("baseVolume"),
            },
            # etcd's data: it outlives the machine
            "data_volume": {"pool": pool, "size": 10 * 1024**3},
            "cloud_init_volume_pool": pool,
            "networks": [
                {
                    "network_name": settings.require("network"),
                    "prefix_length": 24,
                    "gateway": f"{subnet}.1",
                    "dns_servers": [f"{subnet}.1"],
                }
            ],
        },
        members=[{"name": f"etcd-{n}", "ip": f"{subnet}.{10 + n}"} for n in (1, 2, 3)],
    )

    pulumi.export("endpoints", etcd.endpoints)
    pulumi.export("caCert", etcd.ca_cert)
    pulumi.export("rootCert", etcd.root_cert)
    pulumi.export("rootKey", etcd.root_key)
    return etcd
