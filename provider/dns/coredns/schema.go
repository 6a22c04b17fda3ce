package coredns

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*DNS)(nil)
	_ infer.Annotated = (*Forward)(nil)
	_ infer.Annotated = (*Cache)(nil)
	_ infer.Annotated = (*Prefetch)(nil)
)

// Annotate describes d.
func (d *DNS) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsDns")
	a.Describe(&d, "How the server answers. Queries for names that are neither in its zones nor forwarded fail.")
	a.Describe(&d.Version, "Release of CoreDNS to download from its publisher, like "+defaultVersion+".")
	a.SetDefault(&d.Version, defaultVersion)
	a.Describe(&d.ZonefilesReloadInterval, "How often CoreDNS looks for changed zones: `reload` of its plugin `auto`. A duration like 3s or 1m, from 1s to 24h. It loads a zone whose serial has changed.")
	a.SetDefault(&d.ZonefilesReloadInterval, defaultReloadInterval)
	a.Describe(&d.LoadBalanceRecords, "Whether the order of A, AAAA and MX records is rotated in each answer: CoreDNS's plugin `loadbalance`, with `round_robin`.")
	a.SetDefault(&d.LoadBalanceRecords, defaultLoadBalance)
	a.Describe(&d.AlternateDNSServers, "Upstream DNS servers for all names that are neither in a zone nor in `forwards`: CoreDNS's plugin `forward`, for the domain `.`. Each is an IP address or ip:port.")
	a.Describe(&d.Forwards, "Domains that are forwarded to other servers: CoreDNS's plugin `forward`. If several match a name, the longest is used; the server's own zones come first.")
	a.Describe(&d.Cache, "Caches answers: CoreDNS's plugin `cache`. Without it nothing is cached.")
}

// Annotate describes f.
func (f *Forward) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsForward")
	a.Describe(&f, "A domain that is forwarded to other servers: CoreDNS's plugin `forward`, https://coredns.io/plugins/forward")
	a.Describe(&f.DomainName, "The domain, including its subdomains.")
	a.Describe(&f.DNSServers, "The servers, each as an IP address, or as ip:port.")
}

// Annotate describes c.
func (c *Cache) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsCache")
	a.Describe(&c, "Caches answers: CoreDNS's plugin `cache`, https://coredns.io/plugins/cache")
	a.Describe(&c.Domains, "Domains whose answers are cached, including subdomains. Without it all are, including the server's own zones: a change of these is then visible only when the cached answers have expired.")
	a.Describe(&c.MaxTTL, "Maximum TTL of a cached answer, in seconds, from 1 to 604800 (a week): `TTL` of the plugin `cache`.")
	a.SetDefault(&c.MaxTTL, defaultMaxTTL)
	a.Describe(&c.Prefetch, "Refreshes popular answers shortly before they expire: `prefetch` of the plugin `cache`.")
}

// Annotate describes p.
func (p *Prefetch) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsPrefetch")
	a.Describe(&p, "Which answers are refreshed before they expire: `prefetch` of CoreDNS's plugin `cache`.")
	a.Describe(&p.Amount, "Number of queries for a name that make it popular.")
	a.Describe(&p.Duration, "Maximum time between two of these queries, as a duration like 1m.")
	a.SetDefault(&p.Duration, defaultPrefetch)
}
