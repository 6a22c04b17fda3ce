package patroni

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// Keeps the package from making a cluster of its own.
const (
	createCluster     = "/etc/postgresql-common/createcluster.conf"
	createClusterConf = "create_main_cluster = false\n"
)

// Keeps the distribution's packages without a version, which a cluster may have from before, from becoming those of the
// repository, which bring its newest PostgreSQL on a patch day.
const (
	metapackages = "/etc/apt/preferences.d/quorum-postgresql"
	theyStay     = "Package: postgresql postgresql-client postgresql-contrib\nPin: release o=apt.postgresql.org\nPin-Priority: -1\n"
)

// software adds PostgreSQL and Patroni to s: the distribution's packages, or
// those of the PostgreSQL project when the user names a version. apt verifies
// the signatures of both.
func (c Config) software(s *guest.State) {
	servers := []guest.Package{{Name: "postgresql"}} // depends on the distribution's version
	if c.version() != "" {
		s.Repositories = []guest.Repository{{
			Name: "pgdg", URI: "https://apt.postgresql.org/pub/repos/apt", Suite: "{codename}-pgdg", Components: []string{"main"},
			KeyURL: "https://www.postgresql.org/media/keys/ACCC4CF8.asc", Fingerprint: "B97B0AFCAA1A47F044F244A07FCC7D46ACCC4CF8",
		}}
		servers = nil
	}
	for _, v := range c.versions() {
		servers = append(servers, guest.Package{Name: "postgresql-" + v, Provides: []string{"/usr/lib/postgresql/" + v + "/bin/postgres"}})
	}
	s.Presets = []guest.File{guest.Public(createCluster, createClusterConf)}
	if c.version() != "" {
		s.Presets = append(s.Presets, guest.Public(metapackages, theyStay))
	}
	s.Packages = append(servers,
		guest.Package{Name: "python3-etcd"}, // how Patroni reaches etcd; its package has a choice of stores
		guest.Package{Name: "patroni", Provides: []string{"/usr/bin/patroni"}},
	)
	s.Packages = append(s.Packages, c.extensionPackages()...)
}

// version is the major version of PostgreSQL, unless it is the distribution's.
func (c Config) version() string {
	if c.Postgres.Version == nil {
		return ""
	}
	return *c.Postgres.Version
}

// versions are those that the node has to have, if they are not the distribution's: for an upgrade also the one before.
func (c Config) versions() (all []string) {
	if c.From != "" {
		all = append(all, c.From)
	}
	if v := c.version(); v != "" {
		all = append(all, v)
	}
	return all
}

// before is the version with which Patroni was last started: none restarts for an upgrade before it is begun.
func (c Config) before() string {
	if c.From != "" {
		return c.From
	}
	return c.version()
}
