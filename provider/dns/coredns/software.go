package coredns

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

const program = "/usr/local/bin/coredns"

// software is CoreDNS itself, a release of its publisher: distributions have
// no package of it.
func (c Config) software() guest.Artifact {
	a := guest.Artifact{Name: "coredns", Files: map[string]string{"coredns": program}}
	if c.Artifact != nil {
		a.URL, a.SHA256 = c.Artifact.URL, c.Artifact.SHA256
		return a
	}
	v := strings.TrimPrefix(*c.DNS.Version, "v")
	a.URL = "https://github.com/coredns/coredns/releases/download/v" + v + "/coredns_" + v + "_linux_{arch}.tgz"
	a.SHA256SumsURL = a.URL + ".sha256"
	return a
}

// release names the release.
func (c Config) release() string {
	if c.Artifact != nil {
		return c.Artifact.SHA256
	}
	return *c.DNS.Version
}
