"""The etcd cluster of the platform, whose users have passwords."""

import pulumi
import pulumi_quorum as quorum

settings = pulumi.Config()
pool = settings.require("pool")
subnet = settings.require("subnet")

s3 = quorum.S3Args(
    endpoint=settings.require("s3Endpoint"),
    bucket=settings.require("s3Bucket"),
    prefix="etcd",
    access_key=settings.require_secret("s3AccessKey"),
    secret_key=settings.require_secret("s3SecretKey"),
    ca_cert=settings.require("s3CaCert"),
)
restore: quorum.EtcdRestoreArgs | None = None
restore_key = settings.get_secret("restoreKey")  # of the lost cluster
if restore_key is not None:
    restore = quorum.EtcdRestoreArgs(s3=s3, encryption_key=restore_key)

etcd = quorum.EtcdCluster(
    "etcd",
    ssh_admin_public_key=settings.require("sshPublicKey"),
    install_dependencies=settings.require_bool("installDependencies"),
    # Patroni reaches etcd 3 over HTTP, and that with a password only.
    etcd=quorum.EtcdSettingsArgs(grpc_gateway_enabled=True, client_cert_auth=False),
    backup=quorum.EtcdBackupArgs(s3=s3),
    restore=restore,
    libvirt=quorum.LibvirtMachineArgs(  # of each machine
        vcpus=settings.require_int("vcpus"),
        memory=settings.require_int("memory"),
        domain_type=quorum.DomainType(settings.require("domainType")),
        volume=quorum.LibvirtVolumeArgs(
            pool=pool, base_volume_name=settings.require("baseVolume")
        ),
        # etcd's data: it outlives the machine
        data_volume=quorum.LibvirtDataVolumeArgs(pool=pool, size=10 * 1024**3),
        cloud_init_volume_pool=pool,
        networks=[
            quorum.LibvirtNetworkArgs(
                network_name=settings.require("network"),
                prefix_length=24,
                gateway=f"{subnet}.1",
                dns_servers=[f"{subnet}.1"],
            )
        ],
    ),
    members=[
        quorum.EtcdClusterMachineArgs(name=f"etcd-{n}", ip=f"{subnet}.{10 + n}")
        for n in (1, 2, 3)
    ],
)

pulumi.export("endpoints", etcd.endpoints)
pulumi.export("caCert", etcd.ca_cert)
pulumi.export("rootPassword", etcd.root_password)
pulumi.export("backupEncryptionKey", etcd.backup_encryption_key)
pulumi.export("backupTimes", etcd.backup_times)
