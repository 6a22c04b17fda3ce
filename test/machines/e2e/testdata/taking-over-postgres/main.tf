# A member of etcd, three nodes of PostgreSQL and a load balancer, by kvm-etcd-server, kvm-postgres-server and
# kvm-postgres-load-balancer: those, and providers, as QUORUM_TERRAFORM has them.
terraform {
  required_providers {
    libvirt = { source = "dmacvicar/libvirt" }
    tls     = { source = "hashicorp/tls" }
  }
}
variable "uri" {}
variable "ssh_key" {}
variable "gateway" {}
provider "libvirt" { uri = var.uri }
resource "tls_private_key" "ca" {
  for_each  = toset(["etcd", "postgres"])
  algorithm = "RSA"
  rsa_bits  = 2048
}
resource "tls_self_signed_cert" "ca" {
  for_each        = tls_private_key.ca
  private_key_pem = each.value.private_key_pem
  subject {
    common_name  = "authority of ${each.key}"
    organization = "Example"
  }
  is_ca_certificate     = true
  validity_period_hours = 876000
  allowed_uses          = ["digital_signature", "key_encipherment", "cert_signing"]
}
resource "tls_private_key" "etcd" {
  algorithm = "RSA"
  rsa_bits  = 2048
}
resource "tls_cert_request" "etcd" {
  private_key_pem = tls_private_key.etcd.private_key_pem
  ip_addresses    = [local.etcd.ip, "127.0.0.1"]
  dns_names       = ["etcd.example.org"]
  subject {
    common_name  = "etcd"
    organization = "Example"
  }
}
resource "tls_locally_signed_cert" "etcd" {
  cert_request_pem      = tls_cert_request.etcd.cert_request_pem
  ca_private_key_pem    = tls_private_key.ca["etcd"].private_key_pem
  ca_cert_pem           = tls_self_signed_cert.ca["etcd"].cert_pem
  validity_period_hours = 876000
  early_renewal_hours   = 8760
  allowed_uses          = ["client_auth", "server_auth"]
}
locals {
  etcd     = { name = "etcd-1", ip = "10.77.0.11" }
  nodes    = [for i in [1, 2, 3] : { name = "postgres-${i}", ip = "10.77.0.3${i}" }]
  balancer = { name = "postgres-lb-1", ip = "10.77.0.41" }
  domain   = "postgres.example.org" # of all nodes, at the sandbox's gateway
  network = { for m in concat([local.etcd, local.balancer], local.nodes) : m.name => [{
    network_name  = "quorum"
    network_id    = ""
    ip            = m.ip
    mac           = "52:54:00:77:00:${split(".", m.ip)[3]}"
    prefix_length = "24"
    gateway       = var.gateway
    dns_servers   = []
  }] }
}
resource "libvirt_volume" "root" {
  for_each         = local.network
  name             = each.key
  pool             = "quorum"
  base_volume_pool = "quorum"
  base_volume_name = "modules.qcow2"
  format           = "qcow2"
}
resource "libvirt_volume" "data" {
  for_each = toset([for m in concat([local.etcd], local.nodes) : m.name])
  name     = "${each.key}-data"
  pool     = "quorum"
  size     = 2147483648
  format   = "qcow2"
}
module "etcd" {
  source                 = "./modules/etcd"
  name                   = local.etcd.name
  vcpus                  = 1
  memory                 = 1024
  volume_id              = libvirt_volume.root[local.etcd.name].id
  data_volume_id         = libvirt_volume.data[local.etcd.name].id
  libvirt_networks       = local.network[local.etcd.name]
  cloud_init_volume_pool = "quorum"
  ssh_admin_public_key   = var.ssh_key
  install_dependencies   = false
  etcd = {
    auto_compaction_mode      = "revision"
    auto_compaction_retention = "1000"
    space_quota               = 2 * 1024 * 1024 * 1024
    grpc_gateway_enabled      = true
    client_cert_auth          = false
  }
  authentication_bootstrap = {
    bootstrap     = true
    root_password = "ROOT-pw"
  }
  cluster = {
    is_initializing = true
    initial_token   = "etcd"
    initial_members = [local.etcd]
  }
  tls = {
    ca_cert     = tls_self_signed_cert.ca["etcd"].cert_pem
    server_cert = "${tls_locally_signed_cert.etcd.cert_pem}\n${tls_self_signed_cert.ca["etcd"].cert_pem}"
    server_key  = tls_private_key.etcd.private_key_pem
  }
}
module "postgres" {
  count                  = 3
  source                 = "./modules/postgres"
  name                   = local.nodes[count.index].name
  vcpus                  = 1
  memory                 = 1024
  volume_id              = libvirt_volume.root[local.nodes[count.index].name].id
  data_volume_id         = libvirt_volume.data[local.nodes[count.index].name].id
  libvirt_networks       = local.network[local.nodes[count.index].name]
  cloud_init_volume_pool = "quorum"
  ssh_admin_public_key   = var.ssh_key
  admin_user_password    = "ADMIN-pw"
  install_dependencies   = false
  postgres = {
    params              = [{ key = "max_connections", value = "120" }, { key = "work_mem", value = "8MB" }]
    replicator_password = "REPLICATOR-pw"
    superuser_password  = "SUPERUSER-pw"
    ca = {
      key           = tls_private_key.ca["postgres"].private_key_pem
      key_algorithm = "RSA"
      certificate   = tls_self_signed_cert.ca["postgres"].cert_pem
    }
    certificate = {
      domains              = [local.domain, local.balancer.ip]
      extra_ips            = [local.balancer.ip]
      organization         = "Example"
      validity_period      = 876000
      early_renewal_period = 8760
    }
  }
  etcd = {
    endpoints = ["${local.etcd.ip}:2379"]
    ca_cert   = tls_self_signed_cert.ca["etcd"].cert_pem
    username  = "root"
    password  = "ROOT-pw"
  }
  patroni = {
    scope                  = "shop"
    namespace              = "/patroni/"
    name                   = local.nodes[count.index].name
    ttl                    = 60
    loop_wait              = 5
    retry_timeout          = 10
    master_start_timeout   = 300
    master_stop_timeout    = 300
    watchdog_safety_margin = -1
    synchronous_node_count = 1
  }
}
module "balancer" {
  source                 = "./modules/postgres-load-balancer"
  name                   = local.balancer.name
  vcpus                  = 1
  memory                 = 1024
  volume_id              = libvirt_volume.root[local.balancer.name].id
  libvirt_networks       = local.network[local.balancer.name]
  cloud_init_volume_pool = "quorum"
  ssh_admin_public_key   = var.ssh_key
  admin_user_password    = "ADMIN-pw"
  install_dependencies   = false
  haproxy = {
    postgres_nodes_max_count = 3
    postgres_nameserver_ips  = [var.gateway]
    postgres_domain          = local.domain
    patroni_client = {
      ca_key                           = tls_private_key.ca["postgres"].private_key_pem
      ca_certificate                   = tls_self_signed_cert.ca["postgres"].cert_pem
      certificate_validity_period      = 876000
      certificate_early_renewal_period = 8760
    }
    timeouts = {
      connect = "15s"
      check   = "15s"
      idle    = "60s"
    }
  }
}
