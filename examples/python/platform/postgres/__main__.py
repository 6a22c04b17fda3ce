"""PostgreSQL on three machines, and two load balancers with the address that clients use."""

import pulumi
import pulumi_quorum as quorum

settings = pulumi.Config()
pool = settings.require("pool")
subnet = settings.require("subnet")

etcd = pulumi.StackReference("etcd", stack_name=settings.require("etcdStack"))
dns = pulumi.StackReference("dns", stack_name=settings.require("dnsStack"))
root = quorum.EtcdConnectionArgs(
    endpoints=etcd.require_output("endpoints"),
    ca_cert=etcd.require_output("caCert"),
    username="root",
    password=etcd.require_output("rootPassword"),
)

s3 = quorum.S3Args(
    endpoint=settings.require("s3Endpoint"),
    bucket=settings.require("s3Bucket"),
    prefix="postgres",
    access_key=settings.require_secret("s3AccessKey"),
    secret_key=settings.require_secret("s3SecretKey"),
    ca_cert=settings.require("s3CaCert"),
)
restore: quorum.PostgresRestoreArgs | None = None
restore_key = settings.get_secret("restoreKey")  # of the lost cluster
if restore_key is not None:
    restore = quorum.PostgresRestoreArgs(
        s3=s3, stanza=settings.require("restoreStanza"), encryption_key=restore_key
    )

main = quorum.PostgresCluster(
    "main",
    ssh_admin_public_key=settings.require("sshPublicKey"),
    install_dependencies=settings.require_bool("installDependencies"),
    etcd=root,
    patroni=quorum.PatroniSettingsArgs(
        scope="platform",
        watchdog_mode=quorum.WatchdogMode(settings.require("watchdogMode")),
    ),
    postgres=quorum.PostgresClusterSettingsArgs(params={"max_connections": "200"}),
    backup=quorum.PostgresBackupArgs(s3=s3),
    restore=restore,
    libvirt=quorum.LibvirtMachineArgs(  # of each machine
        vcpus=settings.require_int("vcpus"),
        memory=settings.require_int("memory"),
        domain_type=quorum.DomainType(settings.require("domainType")),
        volume=quorum.LibvirtVolumeArgs(
            pool=pool, base_volume_name=settings.require("baseVolume")
        ),
        # PostgreSQL's data: it outlives the machine, and load balancers have none
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
    nodes=[
        quorum.PostgresClusterMachineArgs(name=f"postgres-{n}", ip=f"{subnet}.{30 + n}")
        for n in (1, 2, 3)
    ],
    load_balancers=[
        quorum.PostgresClusterMachineArgs(
            name=f"postgres-lb-{n}", ip=f"{subnet}.{40 + n}"
        )
        for n in (1, 2)
    ],
    # one of them has it
    virtual_ip=quorum.PostgresClusterVirtualIpArgs(address=f"{subnet}.40"),
    # PgBouncer, on ports 6432 and 6433 of the load balancers
    pooler=quorum.PostgresPoolerArgs(),
    # The zone with the names of these machines, which the load balancers find
    # the nodes by.
    dns=quorum.PostgresClusterDnsArgs(
        etcd=root,
        domain=pulumi.Output.concat("postgres.", dns.require_output("domain")),
        nameservers=[dns.require_output("nameserverName")],
    ),
    haproxy=quorum.HaproxySettingsArgs(
        domain=pulumi.Output.concat("nodes.postgres.", dns.require_output("domain")),
        nameserver_ips=[dns.require_output("nameserver")],
        postgres_nodes_max_count=3,
    ),
)

pulumi.export("primary", main.primary_endpoints)
pulumi.export("replicas", main.replica_endpoints)
pulumi.export("poolerPrimary", main.pooler_primary_endpoints)
pulumi.export("caCert", main.ca_cert)
pulumi.export("clientCert", main.client_cert)
pulumi.export("clientKey", main.client_key)
pulumi.export("superuserPassword", main.superuser_password)
pulumi.export("replicatorPassword", main.replicator_password)
pulumi.export("backupStanza", main.backup_stanza)
pulumi.export("backupEncryptionKey", main.backup_encryption_key)
pulumi.export("backupTimes", main.backup_times)
