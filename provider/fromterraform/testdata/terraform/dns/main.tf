# A DNS server on libvirt, in the shape of kvm-coredns-server's: of its first releases, or of later ones.
terraform {
  required_providers {
    libvirt  = { source = "dmacvicar/libvirt" }
    template = { source = "hashicorp/template" }
  }
}

variable "name" { type = string }
variable "ip" { type = string }
variable "newer" { type = bool }
variable "ssh_key" { type = string }
variable "etcd" { type = object({ hosts = list(string), ca = string, password = string }) }
variable "client" { type = object({ ca = string, cert = string, key = string }) }
variable "network" { type = string }
variable "disks" { type = list(string) }

locals {
  corefile = join("\n", concat([".:53 {", "    bind ${var.ip}", "    auto {", "        directory /opt/coredns/zonefiles (.*) {1}", "        reload 3s", "    }"], var.newer ? [
    "    forward corp.example 10.2.0.53 10.2.1.53", "    cache 86400 corp.example {", "        prefetch 5 1m", "    }",
    ] : ["    loadbalance round_robin"], [
    "    alternate original SERVFAIL . 8.8.8.8:53 9.9.9.9:53", "    reload 5s", "    errors", "}",
  ]))
  older = [
    { path = "/opt/coredns/Corefile", content = local.corefile },
    { path = "/etc/coredns-auto-updater/ca.crt", content = var.etcd.ca },
    { path = "/etc/systemd/system/coredns-auto-updater.service", content = join("\n", [
      "[Service]", "Environment=ETCD_ENDPOINTS=${join(",", var.etcd.hosts)}", "Environment=CA_CERT_PATH=/etc/coredns-auto-updater/ca.crt",
      "Environment=USER_NAME=coredns", "Environment=USER_PASSWORD=${var.etcd.password}", "Environment=ETCD_KEY_PREFIX=/zones/", "User=coredns",
    ]) },
  ]
  newer = [
    { path = "/etc/coredns/Corefile", content = local.corefile },
    { path = "/etc/coredns-zonefiles-updater/etcd/ca.crt", content = var.etcd.ca },
    { path = "/etc/coredns-zonefiles-updater/etcd/client_cert_key.pem", content = "${var.client.cert}${var.client.key}" },
    { path = "/etc/coredns-zonefiles-updater/config.yml", content = yamlencode({
      filesystem = { path = "/opt/coredns/zonefiles" }
      etcd_client = {
        prefix = "/zones/", endpoints = var.etcd.hosts
        auth   = { ca_cert = "/etc/coredns-zonefiles-updater/etcd/ca.crt", client_cert_key = "/etc/coredns-zonefiles-updater/etcd/client_cert_key.pem" }
      }
    }) },
  ]
}

data "template_cloudinit_config" "user_data" {
  gzip          = false
  base64_encode = false
  part {
    content_type = "text/cloud-config"
    content      = "#cloud-config\n${yamlencode({ hostname = var.name, users = ["default", { name = "ubuntu", ssh_authorized_keys = [var.ssh_key] }] })}"
  }
  part {
    content_type = "text/cloud-config"
    content      = "#cloud-config\n${var.newer ? yamlencode({ write_files = local.newer }) : yamlencode({ write_files = local.older })}"
  }
}

resource "libvirt_cloudinit_disk" "coredns" {
  name           = "${var.name}-cloud-init.iso"
  pool           = "default"
  user_data      = data.template_cloudinit_config.user_data.rendered
  network_config = yamlencode({ version = 2, ethernets = { eth0 = { match = { macaddress = "52:54:00:cc:00:0${var.newer ? 2 : 1}" }, addresses = ["${var.ip}/24"], gateway4 = "10.1.0.1" } } })
}

resource "libvirt_domain" "coredns" {
  name      = var.name
  vcpu      = 1
  memory    = 1024
  cloudinit = libvirt_cloudinit_disk.coredns.id
  dynamic "disk" {
    for_each = var.disks
    content { volume_id = disk.value }
  }
  network_interface {
    network_name = var.network
    mac          = "52:54:00:cc:00:0${var.newer ? 2 : 1}"
  }
}
