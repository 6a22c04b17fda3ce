# A cluster of etcd of the first releases, and one of later ones.
terraform {
  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack" }
    tls       = { source = "hashicorp/tls" }
  }
}

locals {
  image   = "00000000-0000-4000-8000-00000000000a"
  network = "00000000-0000-4000-8000-00000000000c"
  subnet  = "00000000-0000-4000-8000-00000000000d"
  older   = { for n in [1, 2, 3] : "etcd-${n}-dev" => openstack_networking_port_v2.older[n - 1].all_fixed_ips[0] }
  newer   = { new-1 = openstack_networking_port_v2.newer.all_fixed_ips[0] }
  tls     = { ca = tls_self_signed_cert.ca.cert_pem, cert = tls_self_signed_cert.ca.cert_pem, key = tls_private_key.ca.private_key_pem }
}

resource "tls_private_key" "ca" { algorithm = "ECDSA" }
resource "tls_self_signed_cert" "ca" {
  private_key_pem       = tls_private_key.ca.private_key_pem
  is_ca_certificate     = true
  validity_period_hours = 876000
  allowed_uses          = ["cert_signing"]
  subject { common_name = "etcd" }
}
resource "openstack_networking_port_v2" "older" {
  count          = 3
  name           = "etcd-dev-${count.index + 1}"
  network_id     = local.network
  admin_state_up = true
  fixed_ip {
    subnet_id  = local.subnet
    ip_address = "10.3.0.1${count.index}"
  }
}
resource "openstack_networking_port_v2" "newer" {
  name       = "new"
  network_id = local.network
  fixed_ip {
    subnet_id  = local.subnet
    ip_address = "10.3.0.20"
  }
}
resource "openstack_blockstorage_volume_v3" "data" {
  name = "new-data"
  size = 10
}
resource "openstack_compute_servergroup_v2" "new" {
  name     = "new"
  policies = ["anti-affinity"]
}

module "older" {
  source    = "../instance"
  count     = 3
  name      = "etcd-${count.index + 1}-dev"
  members   = local.older
  newer     = false
  tls       = local.tls
  image_id  = local.image
  flavor_id = "m1.small"
  port_id   = openstack_networking_port_v2.older[count.index].id
}

module "newer" {
  source         = "../instance"
  name           = "new-1"
  members        = local.newer
  newer          = true
  tls            = local.tls
  image_id       = local.image
  flavor_id      = "m1.large"
  port_id        = openstack_networking_port_v2.newer.id
  data_volume_id = openstack_blockstorage_volume_v3.data.id
  group          = openstack_compute_servergroup_v2.new.id
}
