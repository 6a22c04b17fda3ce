package haproxy

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Settings)(nil)
	_ infer.Annotated = (*Timeouts)(nil)
	_ infer.Annotated = (*Registry)(nil)
)

// Annotate describes s.
func (s *Settings) Annotate(a infer.Annotator) {
	a.SetToken("index", "HaproxySettings")
	a.Describe(&s, "The nodes to balance: either `servers`, or `domain` with `nameserverIps` and `postgresNodesMaxCount`. Each node serves PostgreSQL on port 5432 and Patroni's API, over TLS, on port 4443.")
	a.Describe(&s.PostgresNodesMaxCount, "Largest number of nodes that `domain` may resolve to, at most 100: the slots of HAProxy's `server-template`. Further nodes get no connections. Required with `domain`.")
	a.Describe(&s.NameserverIPs, "Addresses of the name servers that resolve `domain`, on port 53: HAProxy's section `resolvers`. Required with `domain`. While none answers, HAProxy keeps the last addresses; if it starts or reloads meanwhile, it has none.")
	a.Describe(&s.Domain, "Domain name that resolves to the addresses of all nodes. Either this or `servers`.")
	a.Describe(&s.Servers, "Addresses of the nodes, IPv4 or IPv6: HAProxy's `server` lines. Connections then do not depend on DNS. Either this or `domain`; not in a PostgresCluster, whose servers are its nodes unless it has `domain`.")
	a.Describe(&s.Timeouts, "HAProxy's timeouts. Each is a whole number with its unit, as HAProxy writes it: `ms`, `s`, `m`, `h` or `d`.")
	a.Describe(&s.MetricsAddress, "Address on which HAProxy serves its statistics and metrics, on port 8404 and without TLS: one of the machine's own, or 127.0.0.1 or ::1 for local access only. Defaults to the machine's first.")
}

// Annotate describes t.
func (t *Timeouts) Annotate(a infer.Annotator) {
	a.SetToken("index", "HaproxyTimeouts")
	a.Describe(&t, "HAProxy's timeouts. Each is a whole number with its unit, as HAProxy writes it: `ms`, `s`, `m`, `h` or `d`.")
	a.Describe(&t.Connect, "HAProxy's `timeout connect`: how long to wait for a connection to a node.")
	a.SetDefault(&t.Connect, defaultConnect)
	a.Describe(&t.Check, "HAProxy's `timeout check`: how long to wait for Patroni's answer to a health check.")
	a.SetDefault(&t.Check, defaultCheck)
	a.Describe(&t.Idle, "HAProxy's `timeout client` and `timeout server`: how long a connection may be idle before it is closed. Choose more than the idle timeout of clients' connection pools.")
	a.SetDefault(&t.Idle, defaultIdle)
}

// Annotate describes r.
func (r *Registry) Annotate(a infer.Annotator) {
	a.SetToken("index", "ContainerRegistry")
	a.Describe(&r, "A container registry with an image of HAProxy. The distribution's Podman runs it instead of the distribution's HAProxy.")
	a.Describe(&r.URL, "Address of the registry, like https://registry.example.org:5000, and the path before the image, if any. With http, image and password are sent unencrypted.")
	a.Describe(&r.Image, "Image below `url`, with a tag or, better, a digest: haproxy@sha256:... is the same image for ever. HAProxy 2.4 or later, with the Prometheus exporter, as `haproxy` in its path. It is pulled only if it is not on the machine: for a new image use a new tag.")
	a.SetDefault(&r.Image, defaultImage)
	a.Describe(&r.Username, "User of the registry. Without it, the image is pulled without a login.")
	a.Describe(&r.Password, "Password of `username`.")
	a.Describe(&r.CACert, "Certificate, PEM, of the authority that signs the registry's certificate, if the distribution does not trust it.")
}
