package etcd

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

var (
	_ infer.Annotated = (*EtcdServer)(nil)
	_ infer.Annotated = (*EtcdServerArgs)(nil)
	_ infer.Annotated = (*server.CA)(nil)
	_ infer.Annotated = (*server.Certificate)(nil)
)

// Annotate describes c.
func (c *EtcdServer) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdServer")
	a.Describe(&c, `A virtual machine that is a member of an etcd cluster.

Give each member of the cluster the same `+"`cluster.initialMembers`"+`, and let one of them enable authentication with `+"`auth.bootstrap`"+`. Members talk to each other, and to their clients, over TLS only.

A change of configuration reaches the running machine through its cloud-init drive, where the program quorum-apply installs it, restarts the services that need it, and rolls back if that fails. A change of the name, users, addresses or image rebuilds the machine; preview then shows a replacement of its volume. Processors, memory and disks replace the domain and keep the volume.`)
	a.Describe(&c.Name, "Name of the member and of its machine.")
	a.Describe(&c.IP, "Address that the member serves on: the first of its machine.")
	a.Describe(&c.Endpoint, "Address and port for clients, as ip:port.")
	a.Describe(&c.CACert, "Certificate, PEM, of the authority that signed the member's certificate.")
	a.Describe(&c.ServerCert, "Certificate of the member, PEM.")
	a.Describe(&c.MachineID, "Id of the machine. It changes when the machine is replaced.")
	a.Describe(&c.Generation, "Identifier of the machine's configuration: quorum-apply on the machine reports it once this configuration is in force.")
}

// Annotate describes e.
func (e *EtcdServerArgs) Annotate(a infer.Annotator) {
	a.Describe(&e.Name, "Name of the member and of its machine: a host name of at most 63 of a-z, 0-9 and -. Defaults to the name of the resource.")
	a.Describe(&e.Artifacts, "Releases to download from another address than their publisher's. The only key is `etcd`: an archive with the programs etcd and etcdctl.")
	a.Describe(&e.Fluentbit, "Forwards the logs of the machine with Fluent Bit: requires `forward`, `dynamicConfig` or both. The keys of `tags` may be `etcd`, `nodeExporter` and `quorumApply`.")
	a.Describe(&e.Firewall, host.AboutFirewall(etcdDoors))
	a.Describe(&e.Etcd, "etcd's own settings, the same on each member, each with the meaning of etcd's option.")
	a.Describe(&e.Cluster, "The cluster that the member belongs to. etcd reads this only while the member has no data.")
	a.Describe(&e.Auth, "Enables etcd's authentication. Set it on one member of the cluster only.")
	a.Describe(&e.TLS, "Ready-made certificates. Either this or `ca`.")
	a.Describe(&e.CA, "Authority that signs a certificate for the member. Either this or `tls`.")
	a.Describe(&e.TrustedCACerts, server.AboutTrust)
	a.Describe(&e.Certificate, "Names, organization and validity of the certificate that `ca` signs.")
	a.Describe(&e.AllowDataLoss, server.AboutDataLoss)
	a.SetDefault(&e.AllowDataLoss, false)
}
