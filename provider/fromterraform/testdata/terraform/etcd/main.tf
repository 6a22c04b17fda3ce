# A member of etcd on libvirt, in the shape of kvm-etcd-server's.
terraform {
  required_providers {
    libvirt  = { source = "dmacvicar/libvirt" }
    template = { source = "hashicorp/template" }
  }
}

variable "name" { type = string }
variable "members" { type = map(string) }
variable "token" { type = string }
variable "by_cert" { type = bool }
variable "root_password" { default = "" }
variable "admin_password" { default = "" }
variable "ssh_key" { type = string }
variable "tls" { type = object({ ca = string, cert = string, key = string }) }
variable "disks" { type = list(string) }
variable "network" { default = null }
variable "macvtap" { default = null }
variable "mac" { type = string }
variable "pool" { default = "default" }
variable "memory" { default = 4096 }
variable "extra" { default = {} }

locals {
  ip = var.members[var.name]
  hostname = {
    preserve_hostname = false
    hostname          = var.name
    users             = ["default", { name = "ubuntu", ssh_authorized_keys = [var.ssh_key] }]
  }
  login = { ssh_pwauth = false, chpasswd = { expire = false, users = [{ name = "ubuntu", password = var.admin_password, type = "text" }] } }
  conf = merge({
    "data-dir"                    = "/var/lib/etcd"
    "name"                        = var.name
    "quota-backend-bytes"         = 8589934592
    "auto-compaction-mode"        = "revision"
    "auto-compaction-retention"   = "1000"
    "advertise-client-urls"       = "https://${local.ip}:2379"
    "initial-advertise-peer-urls" = "https://${local.ip}:2380"
    "initial-cluster"             = join(",", [for name, ip in var.members : "${name}=https://${ip}:2380"])
    "initial-cluster-token"       = var.token
    "initial-cluster-state"       = "new"
    "client-transport-security"   = { "cert-file" = "/etc/etcd/tls/cert.pem", "client-cert-auth" = var.by_cert }
    "enable-grpc-gateway"         = !var.by_cert
  }, var.extra)
}

data "template_cloudinit_config" "user_data" {
  gzip          = false
  base64_encode = false
  part {
    filename     = "base.cfg"
    content_type = "text/cloud-config"
    content      = "#cloud-config\n${var.admin_password == "" ? yamlencode(local.hostname) : yamlencode(merge(local.hostname, local.login))}"
  }
  part {
    filename     = "etcd.cfg"
    content_type = "text/cloud-config"
    content = "#cloud-config\n${yamlencode({
      write_files = concat([
        { path = "/opt/ca-cert.pem", permissions = "0400", content = var.tls.ca },
        { path = "/opt/cert.pem", permissions = "0400", content = "${var.tls.cert}${var.tls.ca}" },
        { path = "/opt/key", permissions = "0400", content = var.tls.key },
        { path = "/opt/conf.yml", permissions = "0400", content = yamlencode(local.conf) },
        ], var.root_password == "" ? [] : [
        { path = "/opt/bootstrap_auth.sh", permissions = "0555", content = "#!/bin/bash\netcdctl user add --new-user-password=\"${var.root_password}\" root\n" },
      ])
      runcmd = ["mv /opt/conf.yml /etc/etcd/", ["wget", "https://storage.example.org/etcd/v3.5.9/etcd-v3.5.9-linux-amd64.tar.gz"]]
    })}"
  }
  part {
    filename     = "chrony.cfg"
    content_type = "text/cloud-config"
    content = "#cloud-config\n${yamlencode({ write_files = [{
      path = "/opt/chrony.conf", content = "server 10.1.0.1 iburst prefer\npool pool.example.org\ndriftfile /var/lib/chrony/drift\nmakestep 0 0\nrtcsync\n"
    }] })}"
  }
}

resource "libvirt_cloudinit_disk" "etcd" {
  name           = "${var.name}-cloud-init.iso"
  pool           = var.pool
  user_data      = data.template_cloudinit_config.user_data.rendered
  network_config = yamlencode({ version = 2, ethernets = { eth0 = { dhcp4 = false, match = { macaddress = var.mac }, addresses = ["${local.ip}/24"], gateway4 = "10.1.0.1", nameservers = { addresses = ["10.1.0.1", "9.9.9.9"] } } } })
}

resource "libvirt_domain" "etcd" {
  name      = var.name
  vcpu      = 2
  memory    = var.memory
  autostart = true
  cloudinit = libvirt_cloudinit_disk.etcd.id
  cpu { mode = "host-passthrough" }
  dynamic "disk" {
    for_each = var.disks
    content { volume_id = disk.value }
  }
  network_interface {
    network_name = var.network
    macvtap      = var.macvtap
    mac          = var.mac
  }
}
