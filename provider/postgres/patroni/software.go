package patroni

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// Keeps the package from making a cluster of its own.
const (
	createCluster     = "/etc/postgresql-common/createcluster.conf"
	createClusterConf = "create_main_cluster = false\n"
)

// software adds PostgreSQL and Patroni to s: the distribution's packages, or
// those of the PostgreSQL project when the user names a version. apt verifies
// the signatures of both.
func (c Config) software(s *guest.State) {
	server := guest.Package{Name: "postgresql"} // depends on the distribution's version
	if v := c.version(); v != "" {
		s.Repositories = []guest.Repository{{
			Name: "pgdg", URI: "https://apt.postgresql.org/pub/repos/apt", Suite: "{codename}-pgdg", Components: []string{"main"},
			KeyURL: "https://www.postgresql.org/media/keys/ACCC4CF8.asc", Fingerprint: "B97B0AFCAA1A47F044F244A07FCC7D46ACCC4CF8",
		}}
		server = guest.Package{Name: "postgresql-" + v, Provides: []string{"/usr/lib/postgresql/" + v + "/bin/postgres"}}
	}
	s.Presets = []guest.File{guest.Public(createCluster, createClusterConf)}
	s.Packages = []guest.Package{
		server,
		{Name: "python3-etcd"}, // how Patroni reaches etcd; its package has a choice of stores
		{Name: "patroni", Provides: []string{"/usr/bin/patroni"}},
	}
	s.Packages = append(s.Packages, c.extensionPackages()...)
}

// version is the major version of PostgreSQL, unless it is the distribution's.
func (c Config) version() string {
	if c.Postgres.Version == nil {
		return ""
	}
	return *c.Postgres.Version
}
