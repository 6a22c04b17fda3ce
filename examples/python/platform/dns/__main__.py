"""DNS for the platform: CoreDNS, with zones that lie in etcd."""

import pulumi
import pulumi_quorum as quorum

settings = pulumi.Config()
pool = settings.require("pool")
subnet = settings.require("subnet")
domain = settings.require("domain")

etcd = pulumi.StackReference("etcd", stack_name=settings.require("etcdStack"))
endpoints = etcd.require_output("endpoints")
ca_cert = etcd.require_output("caCert")
root = quorum.EtcdConnectionArgs(
    endpoints=endpoints,
    ca_cert=ca_cert,
    username="root",
    password=etcd.require_output("rootPassword"),
)

role = quorum.EtcdRole(
    "coredns-role",
    etcd=root,
    name="coredns",
    permissions=[{"prefix": "/zones/", "permission": quorum.PermissionType.READ}],
)
# Of etcd's user coredns, which is made here.
password = settings.require_secret("etcdPassword")
user = quorum.EtcdUser("coredns", etcd=root, password=password, roles=[role.name])

server = quorum.CorednsServer(
    "dns-1",
    ssh_admin_public_key=settings.require("sshPublicKey"),
    install_dependencies=settings.require_bool("installDependencies"),
    libvirt={
        "vcpus": settings.require_int("vcpus"),
        "memory": settings.require_int("memory"),
        "domain_type": quorum.DomainType(settings.require("domainType")),
        "volume": {"pool": pool, "base_volume_name": settings.require("baseVolume")},
        "cloud_init_volume_pool": pool,
        "networks": [
            {
                "network_name": settings.require("network"),
                "ip": f"{subnet}.21",
                "prefix_length": 24,
                "gateway": f"{subnet}.1",
                "dns_servers": [f"{subnet}.1"],
            }
        ],
    },
    etcd={
        "endpoints": endpoints,
        "ca_cert": ca_cert,
        "username": user.name,
        "password": password,
    },
    key_prefix="/zones/",
    dns={"alternate_dns_servers": [f"{subnet}.1"]},
)

zone = quorum.DnsZone(
    "zone",
    etcd=root,
    domain=domain,
    nameservers=["dns-1"],
    records={"a": [{"name": "dns-1", "addresses": [server.ip]}]},
)

# The update ends when the server has its configuration, and serves the zone as it is now.
quorum.DnsHealth(
    "served",
    servers=[server.ip],
    domain=domain,
    serial=zone.serial,
    names=["dns-1"],
    generations=[server.generation],
    triggers={"machine": server.machine_id},
    # the machine may have to boot
    opts=pulumi.ResourceOptions(
        custom_timeouts=pulumi.CustomTimeouts(create="30m", update="30m")
    ),
)

pulumi.export("nameserver", server.ip)
pulumi.export("nameserverName", f"dns-1.{domain}.")
pulumi.export("domain", domain)
