package dns

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*CorednsServer)(nil)
	_ infer.Annotated = (*CorednsServerArgs)(nil)
)

// Annotate describes c.
func (c *CorednsServer) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsServer")
	a.Describe(&c, `A virtual machine that serves DNS zones kept in etcd, by CoreDNS.

The key `+"`<keyPrefix><origin>`"+` holds the zone file of that origin, for example /zones/example.org that of example.org: in small letters and without a final dot. A change in etcd is served as soon as CoreDNS looks for it, see `+"`dns.zonefilesReloadInterval`"+`. Each change of a zone needs another serial, and that not 0.

What is served survives what happens to etcd. While etcd is unavailable, the last zones stay. A zone that CoreDNS could not read is refused, and the one before it stays. When all zones are gone at once, which is hardly meant, they all stay. The log of the service coredns-updater tells of each.

A change of configuration reaches the running machine through its cloud-init drive. What only a fresh machine takes up (its name, users, addresses or image) rebuilds it; preview shows a replacement of its volume then. Use two servers at least, since one at a time is unavailable for a moment.`)
	a.Describe(&c.Name, "Name of the machine.")
	a.Describe(&c.IP, "First address of the machine, on which CoreDNS answers, and gives its metrics (port 9153) and health (port 8080).")
	a.Describe(&c.IPs, "All addresses of the machine. CoreDNS answers on each.")
	a.Describe(&c.Endpoint, "First address and port, as ip:port.")
	a.Describe(&c.MachineID, "Id of the machine. Another id is another machine.")
	a.Describe(&c.Generation, "Generation of the machine's state: what quorum-apply on the machine reports once it is in force.")
}

// Annotate describes c.
func (c *CorednsServerArgs) Annotate(a infer.Annotator) {
	a.Describe(&c.Libvirt, "The virtual machine, on libvirt. It has no data volume: what it serves, it takes from etcd. Either this or `openstack`.")
	a.Describe(&c.OpenStack, "The virtual machine, as an instance of OpenStack, without a data volume. Either this or `libvirt`.")
	a.Describe(&c.Artifacts, "Releases to take from elsewhere than from their publisher. Known is `coredns`: an archive with the program coredns, or the program alone. It takes precedence over `dns.version`.")
	a.Describe(&c.Fluentbit, "Forwards the logs of the machine, by Fluent Bit: needs `forward`, `dynamicConfig` or both. The services that `tags` may name are `coredns`, `corednsUpdater`, `nodeExporter` and `quorumApply`.")
	a.Describe(&c.Etcd, "The cluster that holds the zones. Its user needs to read the keys below `keyPrefix`, and nothing else.")
	a.Describe(&c.KeyPrefix, "Prefix of the keys that hold zones, like /zones/. A final slash is added if it is missing.")
	a.Describe(&c.DNS, "How the server answers.")
}
