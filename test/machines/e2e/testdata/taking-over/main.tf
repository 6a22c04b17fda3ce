# Three members of etcd, by kvm-etcd-server: its release of the README, and providers, as QUORUM_TERRAFORM has them.
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
  algorithm = "RSA"
  rsa_bits  = 2048
}
resource "tls_self_signed_cert" "ca" {
  private_key_pem = tls_private_key.ca.private_key_pem
  subject {
    common_name  = "authority"
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
  ip_addresses    = concat([for m in local.members : m.ip], ["127.0.0.1"])
  dns_names       = ["etcd.example.org"]
  subject {
    common_name  = "etcd"
    organization = "Example"
  }
}
resource "tls_locally_signed_cert" "etcd" {
  cert_request_pem      = tls_cert_request.etcd.cert_request_pem
  ca_private_key_pem    = tls_private_key.ca.private_key_pem
  ca_cert_pem           = tls_self_signed_cert.ca.cert_pem
  validity_period_hours = 876000
  early_renewal_hours   = 8760
  allowed_uses          = ["client_auth", "server_auth"]
}
locals {
  members = [for i in [1, 2, 3] : { name = "etcd-${i}", ip = "10.77.0.1${i}" }]
}
resource "libvirt_volume" "root" {
  for_each         = toset([for m in local.members : m.name])
  name             = each.key
  pool             = "quorum"
  base_volume_pool = "quorum"
  base_volume_name = "modules.qcow2"
  format           = "qcow2"
}
resource "libvirt_volume" "data" {
  for_each = toset([for m in local.members : m.name])
  name     = "${each.key}-data"
  pool     = "quorum"
  size     = 2147483648
  format   = "qcow2"
}
module "etcd" {
  count          = 3
  source         = "./modules/etcd"
  name           = local.members[count.index].name
  vcpus          = 1
  memory         = 1024
  volume_id      = libvirt_volume.root[local.members[count.index].name].id
  data_volume_id = libvirt_volume.data[local.members[count.index].name].id
  libvirt_networks = [{
    network_name  = "quorum"
    network_id    = ""
    ip            = local.members[count.index].ip
    mac           = "52:54:00:77:00:1${count.index + 1}"
    prefix_length = "24"
    gateway       = var.gateway
    dns_servers   = []
  }]
  cloud_init_volume_pool = "quorum"
  ssh_admin_public_key   = var.ssh_key
  admin_user_password    = "ADMIN-pw"
  install_dependencies   = false
  etcd = {
    auto_compaction_mode      = "revision"
    auto_compaction_retention = "1000"
    space_quota               = 2 * 1024 * 1024 * 1024
    grpc_gateway_enabled      = true
    client_cert_auth          = false
  }
  authentication_bootstrap = {
    bootstrap     = count.index == 0
    root_password = count.index == 0 ? "ROOT-pw" : ""
  }
  cluster = {
    is_initializing = true
    initial_token   = "etcd"
    initial_members = local.members
  }
  tls = {
    ca_cert     = tls_self_signed_cert.ca.cert_pem
    server_cert = "${tls_locally_signed_cert.etcd.cert_pem}\n${tls_self_signed_cert.ca.cert_pem}"
    server_key  = tls_private_key.etcd.private_key_pem
  }
}
