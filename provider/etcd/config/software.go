package config

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// software adds etcd and etcdctl to s, and says where they lie: the
// distribution's packages, whose signatures apt verifies, or a release of the
// publisher when the user names one.
func (c Config) software(s *guest.State) (directory string) {
	if c.Etcd.Version == nil && c.Artifact == nil {
		s.Packages = []guest.Package{
			{Name: "etcd-server", Provides: []string{"/usr/bin/etcd"}},
			{Name: "etcd-client", Provides: []string{"/usr/bin/etcdctl"}},
		}
		return "/usr/bin"
	}
	a := guest.Artifact{
		Name:  "etcd",
		Files: map[string]string{"etcd": "/usr/local/bin/etcd", "etcdctl": "/usr/local/bin/etcdctl"},
	}
	if c.hasBackups() {
		a.Files["etcdutl"] = "/usr/local/bin/etcdutl"
	}
	if c.Artifact != nil {
		a.URL, a.SHA256 = c.Artifact.URL, c.Artifact.SHA256
	} else {
		v := "v" + strings.TrimPrefix(*c.Etcd.Version, "v")
		release := "https://github.com/etcd-io/etcd/releases/download/" + v
		a.URL = release + "/etcd-" + v + "-linux-{arch}.tar.gz"
		a.SHA256SumsURL = release + "/SHA256SUMS"
	}
	s.Artifacts = []guest.Artifact{a}
	return "/usr/local/bin"
}

// release names the release, if it is not left to the distribution.
func (c Config) release() string {
	switch {
	case c.Artifact != nil:
		return c.Artifact.SHA256
	case c.Etcd.Version != nil:
		return *c.Etcd.Version
	}
	return ""
}
