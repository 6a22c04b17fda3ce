# A member of etcd on OpenStack, in the shape of openstack-etcd-server's: of its first releases, or of later ones.
terraform {
  required_providers {
    openstack = { source = "terraform-provider-openstack/openstack" }
    template  = { source = "hashicorp/template" }
    cloudinit = { source = "hashicorp/cloudinit" }
  }
}

variable "name" { type = string }
variable "members" { type = map(string) }
variable "newer" { type = bool }
variable "ssh_key" { default = "" }
variable "tls" { type = object({ ca = string, cert = string, key = string }) }
variable "image_id" { type = string }
variable "flavor_id" { type = string }
variable "port_id" { type = string }
variable "data_volume_id" { default = null }
variable "group" { default = null }

locals {
  ip = var.members[var.name]
  config = "#cloud-config\n${yamlencode({
    users = ["default"]
    write_files = [
      { path = var.newer ? "/etc/etcd/tls/ca.crt" : "/opt/ca-cert.pem", content = var.tls.ca },
      { path = var.newer ? "/etc/etcd/tls/etcd.crt" : "/opt/cert.pem", content = var.tls.cert },
      { path = var.newer ? "/etc/etcd/tls/etcd.key" : "/opt/key", content = var.tls.key },
      { path = var.newer ? "/etc/etcd/conf.yml" : "/opt/conf.yml", content = yamlencode({
        "name"                      = var.name
        "quota-backend-bytes"       = 4294967296
        "auto-compaction-mode"      = "periodic"
        "auto-compaction-retention" = "12h"
        "advertise-client-urls"     = "https://${local.ip}:2379"
        "initial-cluster"           = join(",", [for name, ip in var.members : "${name}=https://${ip}:2380"])
        "initial-cluster-token"     = var.newer ? "etcd-newer" : "etcd-cluster"
        "client-transport-security" = { "trusted-ca-file" = "/etc/etcd/tls/ca-cert.pem", "client-cert-auth" = true }
      }) },
      { path = "/opt/bootstrap_auth.sh", content = "#!/bin/bash\netcdctl user add --no-password root\n" },
    ]
    runcmd = ["cp /opt/etcd/etcd-v3.${var.newer ? "5.17" : "4.15"}-linux-amd64/etcd /usr/local/bin/etcd"]
  })}"
}

data "template_cloudinit_config" "older" {
  count         = var.newer ? 0 : 1
  gzip          = true
  base64_encode = true
  part {
    content_type = "text/cloud-config"
    content      = local.config
  }
}

data "cloudinit_config" "newer" {
  count         = var.newer ? 1 : 0
  gzip          = true
  base64_encode = true
  part {
    filename     = "etcd.cfg"
    content_type = "text/cloud-config"
    content      = local.config
  }
}

resource "openstack_compute_instance_v2" "member" {
  name      = var.name
  image_id  = var.image_id
  flavor_id = var.flavor_id
  key_pair  = "admin"
  user_data = var.newer ? data.cloudinit_config.newer[0].rendered : data.template_cloudinit_config.older[0].rendered
  network {
    port = var.port_id
  }
  dynamic "block_device" {
    for_each = var.data_volume_id == null ? [] : [
      { uuid = var.image_id, source = "image", to = "local", boot = 0, deleted = true },
      { uuid = var.data_volume_id, source = "volume", to = "volume", boot = -1, deleted = false },
    ]
    content {
      uuid                  = block_device.value.uuid
      source_type           = block_device.value.source
      destination_type      = block_device.value.to
      boot_index            = block_device.value.boot
      delete_on_termination = block_device.value.deleted
    }
  }
  dynamic "scheduler_hints" {
    for_each = var.group == null ? [] : [var.group]
    content { group = scheduler_hints.value }
  }
}
