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
	a.Describe(&r, "A release to take from a mirror rather than from its publisher.")
	a.Describe(&r.URL, "Address of the archive, http or https. It may hold {arch}, which becomes amd64 or arm64.")
	a.Describe(&r.SHA256, "SHA-256 of the archive, 64 hexadecimal digits. A machine takes nothing else.")
}

// Annotate describes e.
func (e *EtcdConnection) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdConnection")
	a.Describe(&e, "How to reach an etcd cluster: with `clientCert` and `clientKey`, or with `username` and `password`.")
	a.Describe(&e.Endpoints, "Members of the cluster, each as ip:port.")
	a.Describe(&e.CACert, "Certificate, PEM, of the authority that signs the members' certificates.")
	a.Describe(&e.ClientCert, "Client certificate, PEM, whose common name is the etcd user. Goes with `clientKey`. Either this or `username`.")
	a.Describe(&e.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&e.Username, "User of etcd. Goes with `password`. Either this or `clientCert`.")
	a.Describe(&e.Password, "Password of `username`.")
}

// Annotate describes c.
func (c *Chrony) Annotate(a infer.Annotator) {
	a.SetToken("index", "Chrony")
	a.Describe(&c, "Where the machine gets its time from, by chrony. Without it the image's own arrangement stays. Needs at least one server or pool.")
	a.Describe(&c.Servers, "Time servers.")
	a.Describe(&c.Pools, "Pools of time servers.")
	a.Describe(&c.Makestep, "When chrony sets the clock at once rather than slew it. Without it `makestep 1 3`, as in Debian and Ubuntu: an error of more than 1 second is set in the first 3 clock updates after chrony's start.")
}

// Annotate describes t.
func (t *TimeSource) Annotate(a infer.Annotator) {
	a.SetToken("index", "ChronySource")
	a.Describe(&t, "A time server, or a pool of them.")
	a.Describe(&t.URL, "Host name or address.")
	a.Describe(&t.Options, "chrony's options for it: https://chrony-project.org/doc/4.6/chrony.conf.html#server. `iburst` if none are given, so that the clock is right seconds after the boot.")
}

// Annotate describes m.
func (m *Makestep) Annotate(a infer.Annotator) {
	a.SetToken("index", "ChronyMakestep")
	a.Describe(&m, "When chrony sets the clock at once: https://chrony-project.org/doc/4.6/chrony.conf.html#makestep")
	a.Describe(&m.Threshold, "Error of the clock, in seconds, above which it is set: more than 0.")
	a.Describe(&m.Limit, "Number of clock updates, from the start of chrony, in which it may be set; 0 for never, negative for no limit.")
}
