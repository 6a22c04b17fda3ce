# A node of PostgreSQL on libvirt, whose address libvirt's DHCP gives: in the shape of kvm-postgres-server's.
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
variable "etcd" { type = object({ hosts = list(string), ca = string, password = string }) }
variable "passwords" { type = object({ superuser = string, replication = string }) }
variable "dcs" { default = {} }
variable "params" { default = { max_connections = "200" } }
variable "disks" { type = list(string) }
variable "network_id" { type = string }
variable "scope" { default = "shop" }
variable "rules" { default = [] }

data "template_cloudinit_config" "user_data" {
  gzip          = false
  base64_encode = false
  part {
    content_type = "text/cloud-config"
    content = "#cloud-config\n${yamlencode({
      hostname = var.name
      users    = ["default", { name = "ops", ssh_authorized_keys = [var.ssh_key] }]
      chpasswd = { list = "ops:console secret\n", expire = false }
    })}"
  }
  part {
    content_type = "text/cloud-config"
    content = "#cloud-config\n${yamlencode({
      write_files = [
        { path = "/etc/postgres/tls/ca.crt", content = var.tls.ca },
        { path = "/etc/postgres/tls/server.crt", content = "${var.tls.cert}${var.tls.ca}" },
        { path = "/etc/postgres/tls/server.key", content = var.tls.key },
        { path = "/etc/patroni/tls/etcd-ca.crt", content = var.etcd.ca },
        { path = "/etc/patroni/conf.yml", content = yamlencode({
          scope     = var.scope
          namespace = "/patroni/"
          name      = var.name
          etcd3     = { protocol = "https", username = "patroni", password = var.etcd.password, hosts = var.etcd.hosts }
          bootstrap = { dcs = merge({
            ttl              = 60, loop_wait = 5, retry_timeout = 10, master_start_timeout = 300, master_stop_timeout = 300
            synchronous_mode = true, synchronous_mode_strict = true, synchronous_node_count = 1
            postgresql       = { use_pg_rewind = false, parameters = merge({ ssl = true, ssl_cert_file = "/etc/postgres/tls/server.crt", log_directory = "/var/log/postgresql" }, var.params) }
          }, var.dcs) }
          postgresql = {
            connect_address = "${var.ip}:5432"
            data_dir        = "/var/lib/postgresql/14/data"
            bin_dir         = "/usr/lib/postgresql/14/bin"
            pg_hba          = concat(["hostssl all all 0.0.0.0/0 scram-sha-256", "hostssl replication replicator 0.0.0.0/0 scram-sha-256"], var.rules)
            authentication = {
              superuser   = { username = "postgres", password = var.passwords.superuser }
              replication = { username = "replicator", password = var.passwords.replication }
            }
          }
          watchdog = { mode = "required", safety_margin = -1 }
        }) },
      ]
    })}"
  }
}

resource "libvirt_cloudinit_disk" "postgres" {
  name      = "${var.name}-cloud-init.iso"
  pool      = "default"
  user_data = data.template_cloudinit_config.user_data.rendered
}

resource "libvirt_domain" "postgres" {
  name      = var.name
  vcpu      = 4
  memory    = 8192
  autostart = true
  cloudinit = libvirt_cloudinit_disk.postgres.id
  dynamic "disk" {
    for_each = var.disks
    content { volume_id = disk.value }
  }
  network_interface {
    network_id = var.network_id
    addresses  = [var.ip]
    hostname   = var.name
    mac        = "52:54:00:AA:00:${substr(sha1(var.name), 0, 2)}"
  }
}
