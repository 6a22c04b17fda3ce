package etcd

import (
	"github.com/pulumi/pulumi-go-provider/infer"

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

Give each member of the cluster the same `+"`cluster.initialMembers`"+`, and let one of them turn authentication on with `+"`auth.bootstrap`"+`. Members talk to each other, and to their clients, over TLS only.

A change of configuration reaches the running machine through its cloud-init drive, where the program quorum-apply puts it in place, restarts what must be restarted, and puts back what was there if that does not work. What only a fresh machine takes up (its name, users, addresses or image) rebuilds it; preview shows a replacement of its volume then. Processors, memory and disks replace the domain and keep the volume.`)
	a.Describe(&c.Name, "Name of the member and of its machine.")
	a.Describe(&c.IP, "Address that the member serves on: the first of its machine.")
	a.Describe(&c.Endpoint, "Address and port for clients, as ip:port.")
	a.Describe(&c.CACert, "Certificate, PEM, of the authority that signed the member's certificate.")
	a.Describe(&c.ServerCert, "Certificate of the member, PEM.")
	a.Describe(&c.MachineID, "Id of the machine. Another id is another machine.")
	a.Describe(&c.Generation, "Generation of the machine's state: what quorum-apply on the machine reports once it is in force.")
}

// Annotate describes e.
func (e *EtcdServerArgs) Annotate(a infer.Annotator) {
	a.Describe(&e.Name, "Name of the member and of its machine: a host name of at most 63 of a-z, 0-9 and -. Defaults to the name of the resource.")
	a.Describe(&e.Artifacts, "Releases to take from elsewhere than from their publisher. Known is `etcd`: an archive with the programs etcd and etcdctl.")
	a.Describe(&e.Fluentbit, "Forwards the logs of the machine, by Fluent Bit: needs `forward`, `dynamicConfig` or both. The services that `tags` may name are `etcd`, `nodeExporter` and `quorumApply`.")
	a.Describe(&e.Etcd, "etcd's own settings, the same on each member. Each has the name and meaning that etcd gives it.")
	a.Describe(&e.Cluster, "The cluster that the member belongs to. etcd reads this when a member starts for the first time, and never again.")
	a.Describe(&e.Auth, "Turns etcd's authentication on. On one member of the cluster only.")
	a.Describe(&e.TLS, "Ready-made certificates. Either this or `ca`.")
	a.Describe(&e.CA, "Authority that signs a certificate for the member. Either this or `tls`.")
	a.Describe(&e.TrustedCACerts, server.AboutTrust)
	a.Describe(&e.Certificate, "What the certificate is to be like that `ca` signs.")
}
