package server

// AboutExternal describes the input `external` of a machine of a cluster.
const AboutExternal = "Whether the machine is somebody else's: it is in the cluster, and nothing of it is made or changed. Its address is that of `libvirt` or `openstack`, or else `ip`. Without `external`, an update makes the machine: shut the old one down and undefine it first, and keep its disks. See docs/migrating.md."
