package coredns

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

//go:embed *.tmpl
var files embed.FS

var templates = template.Must(template.ParseFS(files, "*.tmpl"))

// values is what the templates are filled with.
type values struct {
	Config
	Zones, Metrics, Health string
	Forwards               []Forward
	Corefile, Mirror       string
}

func (c Config) values() values {
	return values{
		Config:   c,
		Zones:    zones,
		Metrics:  ports.At(c.IPs[0], ports.Coredns),
		Health:   ports.At(c.IPs[0], ports.CorednsHealth),
		Forwards: c.forwards(),
		Corefile: corefile,
		Mirror:   mirror,
	}
}

// forwards are all that CoreDNS asks other servers about, the longest domain
// first: it takes the first that fits.
func (c Config) forwards() []Forward {
	all := slices.Clone(c.DNS.Forwards)
	slices.SortStableFunc(all, func(a, b Forward) int { return cmp.Compare(labels(b.DomainName), labels(a.DomainName)) })
	if len(c.DNS.AlternateDNSServers) > 0 {
		all = append(all, Forward{DomainName: ".", DNSServers: c.DNS.AlternateDNSServers})
	}
	return all
}

func labels(domain string) int {
	return len(strings.Split(strings.TrimSuffix(domain, "."), "."))
}

func (v values) fill(name string) (string, error) {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name+".tmpl", v); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return b.String(), nil
}
