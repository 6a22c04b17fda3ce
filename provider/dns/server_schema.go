package dns

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

var (
	_ infer.Annotated = (*CorednsServer)(nil)
	_ infer.Annotated = (*CorednsServerArgs)(nil)
)

// Annotate describes c.
func (c *CorednsServer) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsServer")
	a.Describe(&c, `A virtual machine that serves DNS zones kept in etcd, by CoreDNS.

The key `+"`<keyPrefix><origin>`"+` holds the zone file of that origin, for example /zones/example.org that of example.org: in lower case and without a trailing dot. A change in etcd is served as soon as CoreDNS looks for it, see `+"`dns.zonefilesReloadInterval`"+`. Each change of a zone needs a new serial other than 0.

The server keeps serving its last zones when etcd fails. While etcd is unavailable, the last zones stay. A zone that CoreDNS could not load is ignored, and the previous one stays. If all zones disappear from etcd at once, which is probably a mistake, they all stay. The service coredns-updater logs each of these.

A change of configuration reaches the running machine through its cloud-init drive. A change of its name, users, addresses or image rebuilds the machine; preview then shows a replacement of its volume. Use at least two servers, since each is unavailable for a moment while it changes.`)
	a.Describe(&c.Name, "Name of the machine.")
	a.Describe(&c.IP, "First address of the machine, on which CoreDNS answers, and gives its metrics (port 9153) and health (port 8080).")
	a.Describe(&c.IPs, "All addresses of the machine. CoreDNS answers on each.")
	a.Describe(&c.Endpoint, "First address and port, as ip:port.")
	a.Describe(&c.MachineID, "Id of the machine. It changes when the machine is replaced.")
	a.Describe(&c.Generation, "Identifier of the machine's configuration: quorum-apply on the machine reports it once this configuration is in force.")
}

// Annotate describes c.
func (c *CorednsServerArgs) Annotate(a infer.Annotator) {
	a.Describe(&c.Libvirt, "The virtual machine, on libvirt. It has no data volume: its zones are in etcd. Either this or `openstack`.")
	a.Describe(&c.OpenStack, "The virtual machine, as an instance of OpenStack, without a data volume. Either this or `libvirt`.")
	a.Describe(&c.Artifacts, "Releases to download from another address than their publisher's. The only key is `coredns`: an archive with the program coredns, or the program itself. It takes precedence over `dns.version`.")
	a.Describe(&c.Fluentbit, "Forwards the logs of the machine with Fluent Bit: requires `forward`, `dynamicConfig` or both. The keys of `tags` may be `coredns`, `corednsUpdater`, `nodeExporter` and `quorumApply`.")
	a.Describe(&c.Firewall, host.AboutFirewall(coredns.Doors))
	a.Describe(&c.Etcd, "The cluster that holds the zones. Its user needs to read the keys below `keyPrefix`, and nothing else.")
	a.Describe(&c.KeyPrefix, "Prefix of the keys that hold zones, like /zones/. A trailing slash is added if it is missing.")
	a.Describe(&c.DNS, "How the server answers.")
}
