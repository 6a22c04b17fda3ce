# A load balancer on libvirt, in the shape of kvm-postgres-load-balancer's.
terraform {
  required_providers {
    libvirt  = { source = "dmacvicar/libvirt" }
    template = { source = "hashicorp/template" }
  }
}

variable "name" { type = string }
variable "ip" { type = string }
variable "ssh_key" { type = string }
variable "tls" { type = object({ ca = string, cert = string, key = string }) }
variable "network" { type = string }
variable "disks" { type = list(string) }

data "template_cloudinit_config" "user_data" {
  gzip          = false
  base64_encode = false
  part {
    content_type = "text/cloud-config"
    content = "#cloud-config\n${yamlencode({
      hostname = var.name
      users    = ["default", { name = "ops", ssh_authorized_keys = [var.ssh_key] }]
      write_files = [
        { path = "/opt/docker/config.json", content = jsonencode({ auths = { "registry.example.org" = { auth = base64encode("puller:REGISTRY-password") } } }) },
        { path = "/opt/patroni/ca.pem", content = var.tls.ca },
        { path = "/opt/patroni/client.pem", content = "${var.tls.cert}${var.tls.key}" },
        { path = "/opt/fluentd.conf", content = "shared_key FLUENTD-key\n" },
        { path = "/opt/haproxy/haproxy.cfg", encoding = "b64", content = base64encode(join("\n", [
          "defaults", "  mode tcp", "  timeout client 60s", "  timeout server 60s", "  timeout connect 15000", "  timeout check 15s",
          "resolvers internal", "  nameserver a 10.1.0.53:53", "  timeout retry 1s",
          "backend postgres", "  server-template nodes 5 server.shop.example:5432 check check-ssl resolvers internal",
        ])) },
      ]
    })}"
  }
}

resource "libvirt_cloudinit_disk" "lb" {
  name           = "${var.name}-cloud-init.iso"
  pool           = "default"
  user_data      = data.template_cloudinit_config.user_data.rendered
  network_config = yamlencode({ version = 2, ethernets = { eth0 = { match = { macaddress = "52:54:00:bb:00:01" }, addresses = ["${var.ip}/24"], gateway4 = "10.1.0.1" } } })
}

resource "libvirt_domain" "lb" {
  name      = var.name
  vcpu      = 1
  memory    = 1024
  autostart = false
  cloudinit = libvirt_cloudinit_disk.lb.id
  dynamic "disk" {
    for_each = var.disks
    content { volume_id = disk.value }
  }
  network_interface {
    network_name = var.network
    mac          = "52:54:00:bb:00:01"
  }
}
