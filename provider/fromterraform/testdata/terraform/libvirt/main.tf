# Two clusters of etcd, one of PostgreSQL with its load balancer, DNS servers of two
# releases, and what is none of these.
terraform {
  required_providers {
    libvirt = { source = "dmacvicar/libvirt" }
    tls     = { source = "hashicorp/tls" }
  }
}

provider "libvirt" { uri = "qemu:///system" }
provider "libvirt" {
  alias = "second"
  uri   = "qemu+ssh://root@host-2/system"
}

locals {
  members = { etcd-1 = "10.1.0.11", etcd-2 = "10.1.0.12", etcd-3 = "10.1.0.13" }
  keys    = { for n in [1, 2, 3] : "etcd-${n}" => n }
  certs   = { alpha = "10.1.0.31", beta = "10.1.0.32", gone = "10.1.0.33" }
  nodes   = { postgres-1 = "10.1.1.21", postgres-2 = "10.1.1.22" }
  ssh_key = trimspace(tls_private_key.admin.public_key_openssh)
  tls     = { for name in ["etcd", "postgres", "lb"] : name => { ca = tls_self_signed_cert.ca[name == "lb" ? "postgres" : name].cert_pem, cert = tls_locally_signed_cert.server[name].cert_pem, key = tls_private_key.server[name].private_key_pem } }
  etcd    = { hosts = [for ip in values(local.members) : "${ip}:2379"], ca = tls_self_signed_cert.ca["etcd"].cert_pem, password = "PATRONI-in-etcd" }
}

resource "tls_private_key" "admin" { algorithm = "ED25519" }
resource "tls_private_key" "ca" {
  for_each  = toset(["etcd", "postgres"])
  algorithm = "ECDSA"
}
resource "tls_self_signed_cert" "ca" {
  for_each              = tls_private_key.ca
  private_key_pem       = each.value.private_key_pem
  is_ca_certificate     = true
  validity_period_hours = 876000
  allowed_uses          = ["digital_signature", "cert_signing"]
  subject { common_name = each.key }
}
resource "tls_private_key" "server" {
  for_each  = toset(["etcd", "postgres", "lb"])
  algorithm = "ECDSA"
}
resource "tls_cert_request" "server" {
  for_each        = tls_private_key.server
  private_key_pem = each.value.private_key_pem
  dns_names       = { etcd = ["etcd.example.org", "localhost"], postgres = concat(values(local.nodes), ["server.shop.example", "10.1.0.40", "localhost"]), lb = [] }[each.key]
  ip_addresses    = { etcd = concat(values(local.members), ["127.0.0.1", "10.1.0.99"]), postgres = concat(values(local.nodes), ["127.0.0.1"]), lb = [] }[each.key]
  subject {
    common_name  = each.key
    organization = "Example"
  }
}
resource "tls_locally_signed_cert" "server" {
  for_each              = tls_cert_request.server
  cert_request_pem      = each.value.cert_request_pem
  ca_private_key_pem    = tls_private_key.ca[each.key == "lb" ? "postgres" : each.key].private_key_pem
  ca_cert_pem           = tls_self_signed_cert.ca[each.key == "lb" ? "postgres" : each.key].cert_pem
  validity_period_hours = 876000
  allowed_uses          = ["server_auth", "client_auth"]
}

resource "libvirt_network" "databases" {
  name      = "databases"
  mode      = "nat"
  addresses = ["10.1.1.0/24"]
  dhcp { enabled = true }
}
resource "libvirt_volume" "root" {
  for_each         = toset(concat(keys(local.members), keys(local.nodes), ["lb-1", "dns-1", "dns-2"]))
  name             = each.key
  pool             = "default"
  size             = 10737418240
  base_volume_pool = "os"
  base_volume_name = "jammy-2023-02-10"
}
resource "libvirt_volume" "data" {
  for_each = toset(concat(keys(local.members), keys(local.nodes)))
  name     = "${each.key}-data"
  pool     = "data"
  size     = 21474836480
}

# Passwords and the gateway. The second member is larger.
module "etcd" {
  source         = "../etcd"
  count          = 3
  name           = "etcd-${count.index + 1}"
  members        = local.members
  token          = "platform"
  by_cert        = false
  root_password  = count.index == 0 ? "ROOT-of-etcd" : ""
  admin_password = "CONSOLE-password"
  ssh_key        = local.ssh_key
  tls            = local.tls["etcd"]
  memory         = count.index == 1 ? 8192 : 4096
  disks          = [libvirt_volume.root["etcd-${count.index + 1}"].id, libvirt_volume.data["etcd-${count.index + 1}"].id]
  network        = "platform"
  mac            = "52:54:00:11:22:3${count.index}"
}

# Certificates, on another hypervisor and macvtap: without volumes in the state, without
# the authority's key, and with a member that is elsewhere.
module "certs" {
  source    = "../etcd"
  for_each  = toset(["alpha", "beta"])
  name      = each.key
  members   = local.certs
  token     = "platform"
  by_cert   = true
  ssh_key   = local.ssh_key
  tls       = { ca = file("${path.module}/foreign.crt"), cert = "", key = "FOREIGN-key" }
  disks     = ["/var/lib/libvirt/images/${each.key}"]
  macvtap   = "eno1"
  mac       = each.key == "alpha" ? "52:54:00:00:00:0a" : "52:54:00:00:00:0b"
  pool      = "isos"
  extra     = { "heartbeat-interval" = 200, "election-timeout" = 2000 }
  providers = { libvirt = libvirt.second }
}

module "postgres" {
  source     = "../postgres"
  for_each   = local.nodes
  name       = each.key
  ip         = each.value
  ssh_key    = local.ssh_key
  tls        = local.tls["postgres"]
  etcd       = local.etcd
  passwords  = { superuser = "SUPERUSER-password", replication = "REPLICATOR-password" }
  params     = { max_connections = "200", "shared_preload_libraries" = "pg_stat_statements", "log_line_prefix" = "%m $${user} $$ %q: #", "pg_stat_statements.track" = "all" }
  rules      = ["hostssl all all 10.0.0.0/8 ldap ldapbindpasswd=LDAP-password"]
  disks      = [libvirt_volume.root[each.key].id, libvirt_volume.data[each.key].id]
  network_id = libvirt_network.databases.id
}

module "lb" {
  source  = "../balancer"
  name    = "lb-1"
  ip      = "10.1.0.40"
  ssh_key = local.ssh_key
  tls     = local.tls["lb"]
  network = "platform"
  disks   = [libvirt_volume.root["lb-1"].id]
}

module "dns" {
  source   = "../dns"
  for_each = { dns-1 = "10.1.0.53", dns-2 = "10.1.0.54" }
  name     = each.key
  ip       = each.value
  newer    = each.key == "dns-2"
  ssh_key  = local.ssh_key
  etcd     = { hosts = local.etcd.hosts, ca = local.etcd.ca, password = "COREDNS-in-etcd" }
  client   = local.tls["etcd"]
  network  = "platform"
  disks    = [libvirt_volume.root[each.key].id]
}

resource "libvirt_domain" "other" {
  name   = "somebody-elses"
  vcpu   = 1
  memory = 512
}
resource "terraform_data" "other" { input = "x" }
