package host

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Artifact)(nil)
	_ infer.Annotated = (*EtcdConnection)(nil)
	_ infer.Annotated = (*Chrony)(nil)
	_ infer.Annotated = (*TimeSource)(nil)
	_ infer.Annotated = (*Makestep)(nil)
)

// Annotate describes r.
func (r *Artifact) Annotate(a infer.Annotator) {
	a.SetToken("index", "Artifact")
	a.Describe(&r, "A release to download from a mirror instead of its publisher.")
	a.Describe(&r.URL, "URL of the archive, http or https. {arch} in it is replaced by amd64 or arm64.")
	a.Describe(&r.SHA256, "SHA-256 of the archive, 64 hexadecimal digits. The machine refuses an archive with another checksum.")
}

// Annotate describes e.
func (e *EtcdConnection) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdConnection")
	a.Describe(&e, "How to reach an etcd cluster: with `clientCert` and `clientKey`, or with `username` and `password`.")
	a.Describe(&e.Endpoints, "Members of the cluster, each as ip:port.")
	a.Describe(&e.CACert, "Certificate, PEM, of the authority that signs the members' certificates.")
	a.Describe(&e.ClientCert, "Client certificate, PEM, whose common name is the etcd user. Requires `clientKey`. Either this or `username`.")
	a.Describe(&e.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&e.Username, "User of etcd. Requires `password`. Either this or `clientCert`.")
	a.Describe(&e.Password, "Password of `username`.")
}

// Annotate describes c.
func (c *Chrony) Annotate(a infer.Annotator) {
	a.SetToken("index", "Chrony")
	a.Describe(&c, "Time synchronisation with chrony (/etc/chrony/chrony.conf). Without it the image's own time service stays. Requires at least one server or pool.")
	a.Describe(&c.Servers, "Time servers: `server` in chrony.conf.")
	a.Describe(&c.Pools, "Pools of time servers: `pool` in chrony.conf.")
	a.Describe(&c.Makestep, "chrony's `makestep`: when chrony steps the clock instead of slewing it. Defaults to `makestep 1 3`, as in Debian and Ubuntu: an offset of more than 1 second is stepped in the first 3 clock updates after chrony's start.")
}

// Annotate describes t.
func (t *TimeSource) Annotate(a infer.Annotator) {
	a.SetToken("index", "ChronySource")
	a.Describe(&t, "A time server, or a pool of them.")
	a.Describe(&t.URL, "Host name or address.")
	a.Describe(&t.Options, "chrony's options for it: https://chrony-project.org/doc/4.6/chrony.conf.html#server. Defaults to `iburst`, which corrects the clock seconds after the boot.")
}

// Annotate describes m.
func (m *Makestep) Annotate(a infer.Annotator) {
	a.SetToken("index", "ChronyMakestep")
	a.Describe(&m, "chrony's `makestep`: when chrony steps the clock instead of slewing it, https://chrony-project.org/doc/4.6/chrony.conf.html#makestep")
	a.Describe(&m.Threshold, "Offset in seconds, above 0, from which on the clock is stepped.")
	a.Describe(&m.Limit, "Number of clock updates after chrony's start in which the clock may be stepped; 0 for never, negative for no limit.")
}
