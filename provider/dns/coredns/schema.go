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
	a.Describe(&d, "How the server answers. What is neither in its zones nor forwarded, it does not answer.")
	a.Describe(&d.Version, "Release of CoreDNS to take from its publisher, like "+defaultVersion+".")
	a.SetDefault(&d.Version, defaultVersion)
	a.Describe(&d.ZonefilesReloadInterval, "How often CoreDNS looks for zones that have changed, as a duration like 3s or 1m, of at least a second. It takes up a zone whose serial has changed.")
	a.SetDefault(&d.ZonefilesReloadInterval, defaultReloadInterval)
	a.Describe(&d.LoadBalanceRecords, "Whether the addresses of a name are given in another order each time.")
	a.SetDefault(&d.LoadBalanceRecords, defaultLoadBalance)
	a.Describe(&d.AlternateDNSServers, "Servers to ask about all that is neither in a zone nor in `forwards`, each as an IP address, or as ip:port.")
	a.Describe(&d.Forwards, "Domains that certain servers are to be asked about. Of several that fit a name the longest counts; zones of the server itself come before all.")
	a.Describe(&d.Cache, "Keeps answers for a while. Without it nothing is kept.")
}

// Annotate describes f.
func (f *Forward) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsForward")
	a.Describe(&f, "A domain that certain servers are asked about.")
	a.Describe(&f.DomainName, "The domain, with all below it.")
	a.Describe(&f.DNSServers, "The servers, each as an IP address, or as ip:port.")
}

// Annotate describes c.
func (c *Cache) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsCache")
	a.Describe(&c, "Keeps answers for a while: https://coredns.io/plugins/cache")
	a.Describe(&c.Domains, "Domains to keep answers of, with all below them. All if none is named, the server's own zones too: what changes in those is then seen only when the answers kept have expired.")
	a.Describe(&c.MaxTTL, "Seconds after which an answer expires, whatever it says itself.")
	a.SetDefault(&c.MaxTTL, defaultMaxTTL)
	a.Describe(&c.Prefetch, "Renews answers that are asked for often, shortly before they expire.")
}

// Annotate describes p.
func (p *Prefetch) Annotate(a infer.Annotator) {
	a.SetToken("index", "CorednsPrefetch")
	a.Describe(&p, "Which answers are renewed before they expire.")
	a.Describe(&p.Amount, "How often a name must have been asked for.")
	a.Describe(&p.Duration, "No longer than this between two times, as a duration like 1m.")
	a.SetDefault(&p.Duration, defaultPrefetch)
}
