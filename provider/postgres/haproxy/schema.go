package haproxy

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Settings)(nil)
	_ infer.Annotated = (*Timeouts)(nil)
	_ infer.Annotated = (*TLS)(nil)
	_ infer.Annotated = (*Registry)(nil)
)

// Annotate describes s.
func (s *Settings) Annotate(a infer.Annotator) {
	a.SetToken("index", "HaproxySettings")
	a.Describe(&s, "The nodes to balance: either `servers`, or `domain` with `nameserverIps` and `postgresNodesMaxCount`. Each node serves PostgreSQL on port 5432 and Patroni's API, over TLS, on port 4443.")
	a.Describe(&s.PostgresNodesMaxCount, "Largest number of nodes that `domain` may resolve to, at most 100. What is beyond it gets no connections. Required with `domain`.")
	a.Describe(&s.NameserverIPs, "Addresses of the name servers that resolve `domain`, on port 53. Required with `domain`. When none answers, the nodes stay as they were last known. A load balancer that starts or reloads meanwhile knows none.")
	a.Describe(&s.Domain, "Domain name that resolves to the addresses of all nodes. Either this or `servers`.")
	a.Describe(&s.Servers, "Addresses of the nodes, IPv4 or IPv6. No connection depends on DNS then. Either this or `domain`.")
	a.Describe(&s.Timeouts, "How long to wait. Each is a whole number with its unit, as HAProxy writes it: `ms`, `s`, `m`, `h` or `d`.")
	a.Describe(&s.MetricsAddress, "Address that HAProxy serves its statistics and metrics on, on port 8404 and in clear: one of the machine's own, or 127.0.0.1 or ::1 for the machine alone. Without it, the machine's first.")
}

// Annotate describes t.
func (t *Timeouts) Annotate(a infer.Annotator) {
	a.SetToken("index", "HaproxyTimeouts")
	a.Describe(&t, "How long to wait. Each is a whole number with its unit, as HAProxy writes it: `ms`, `s`, `m`, `h` or `d`.")
	a.Describe(&t.Connect, "How long to wait for a connection to a node.")
	a.SetDefault(&t.Connect, defaultConnect)
	a.Describe(&t.Check, "How long to wait for Patroni's answer to a check.")
	a.SetDefault(&t.Check, defaultCheck)
	a.Describe(&t.Idle, "How long a connection may be without anything sent, by client or node, before it is closed. Longer than the pools of clients keep an idle connection.")
	a.SetDefault(&t.Idle, defaultIdle)
}

// Annotate describes t.
func (t *TLS) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresLoadBalancerTls")
	a.Describe(&t, "Ready-made certificates for the checks of Patroni's API.")
	a.Describe(&t.CACert, "Certificate, PEM, of the authority that signs the certificates of Patroni's API.")
	a.Describe(&t.ClientCert, "Client certificate that the checks present, PEM, followed by those between it and the authority that Patroni trusts.")
	a.Describe(&t.ClientKey, "Private key of `clientCert`, PEM.")
}

// Annotate describes r.
func (r *Registry) Annotate(a infer.Annotator) {
	a.SetToken("index", "ContainerRegistry")
	a.Describe(&r, "A container registry that has an image of HAProxy. Podman, the distribution's, runs it instead of the distribution's HAProxy.")
	a.Describe(&r.URL, "Address of the registry, like https://registry.example.org:5000, and what comes before the image in its name, if anything. With http, image and password travel in clear.")
	a.Describe(&r.Image, "Image below `url`, with a tag or digest. HAProxy 2.4 or later, with the Prometheus exporter, as `haproxy` in its path. It is pulled when it is not on the machine: for another image give another tag.")
	a.SetDefault(&r.Image, defaultImage)
	a.Describe(&r.Username, "User of the registry. Without it, the image is pulled without a login.")
	a.Describe(&r.Password, "Password of `username`.")
	a.Describe(&r.CACert, "Certificate, PEM, of the authority that signs the registry's certificate, if the distribution does not trust it.")
}
