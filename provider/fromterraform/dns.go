package fromterraform

import (
	"strings"
)

func (p *program) resolvers(resolvers []*resolver) {
	for _, r := range resolvers {
		name := p.name(orElse(hostname(r.Name), "dns"), true, "")
		b, resource := newBlock(), newBlock()
		p.host(b, name, []*Machine{r.Machine})
		p.zonesFrom(b, name, r)
		b.set("dns", r.settings())
		p.standalone(name, resource, "CorednsServer", b, r.Machine)
		p.later.note("%s", r.Address)
		p.later.set(name, resource)
	}
}

// zonesFrom is the etcd cluster that has the zones.
func (p *program) zonesFrom(b *block, name string, r *resolver) {
	u := r.updater
	if u.from == "" {
		b.note("The user data of %s have no configuration of the updater of zone files", r.Address)
		u.from = r.Address
	}
	etcd := newBlock()
	etcd.set("endpoints", u.endpoints)
	if len(u.endpoints) == 0 {
		etcd.askList("endpoints", askedEndpoint(u.from+" has none"))
	}
	if certs := certificates(u.ca); len(certs) > 0 {
		etcd.set("caCert", asPEM(certs...))
	} else {
		etcd.ask("caCert", askedCert("etcd's authority", u.from+": no certificate is there"))
	}
	if u.user != "" {
		secret := Secret{Key: camel(name, "etcd password"), What: "password of etcd's user " + line(u.user), From: u.from, Value: u.password}
		if !u.sure {
			secret.From, secret.Value = from(u.from, "it may be read otherwise than it is written there"), ""
		}
		etcd.set("username", u.user)
		etcd.set("password", p.secrets.add(secret))
	} else if certs := certificates(u.cert); len(certs) > 0 {
		etcd.set("clientCert", asPEM(certs...))
		secret := Secret{Key: camel(name, "etcd client key"), What: "private key of the certificate by which zones are read", From: u.from + ": there is none"}
		if key := privateKey(u.key); key != "" {
			secret.From, secret.Value = u.from, key
		}
		etcd.set("clientKey", p.secrets.add(secret))
	} else {
		etcd.ask("username", asked{words: "etcd username", what: "user of etcd who reads zones", why: u.from + ": neither a user nor a client certificate is there", example: "coredns"})
		etcd.set("password", p.secrets.add(Secret{Key: camel(name, "etcd password"), What: "password of that user of etcd", From: "not in the state"}))
	}
	b.set("etcd", etcd)
	b.set("keyPrefix", u.prefix)
	if u.prefix == "" {
		b.ask("keyPrefix", asked{words: "key prefix", what: "prefix of the keys of zones", why: u.from + " has none", example: "/zones/"})
	}
}

// settings are how the server answers.
func (r *resolver) settings() *block {
	b := newBlock()
	for _, words := range r.words("reload") { // that of zones is the first: they are in auto
		if len(words) > 0 {
			b.set("zonefilesReloadInterval", words[0])
			break
		}
	}
	b.set("loadBalanceRecords", len(r.words("loadbalance")) > 0)
	var alternates []string
	for _, words := range r.words("alternate") {
		for _, word := range words {
			word = strings.TrimSuffix(word, ":53")
			if isIP(strings.Trim(word, "[]")) {
				alternates = append(alternates, strings.Trim(word, "[]"))
			}
		}
	}
	b.set("alternateDnsServers", alternates)
	var forwards []*block
	for _, words := range r.words("forward") {
		if len(words) > 1 {
			forward := newBlock()
			forward.set("domainName", words[0])
			forward.set("dnsServers", words[1:])
			forwards = append(forwards, forward)
		}
	}
	b.set("forwards", forwards)
	b.set("cache", r.cache())
	return b
}

func (r *resolver) cache() *block {
	cache := newBlock()
	for _, words := range r.words("cache") {
		if len(words) == 0 {
			continue
		}
		var domains []string
		for _, word := range words[1:] {
			if word != "{" {
				domains = append(domains, word)
			}
		}
		cache.set("domains", domains)
		setNumber(cache, "maxTtl", words[0], r.corefile+", cache")
		break
	}
	for _, words := range r.words("prefetch") {
		if len(words) > 0 && strings.Trim(words[0], "0") != "" && cache.get("prefetch") == nil {
			prefetch := newBlock()
			setNumber(prefetch, "amount", words[0], r.corefile+", prefetch")
			if len(words) > 1 {
				prefetch.set("duration", words[1])
			}
			cache.set("prefetch", prefetch)
		}
	}
	return cache
}
