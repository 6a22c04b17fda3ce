package patroni

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// A node joins a cluster that others have made, and that has nodes of theirs, as one that changes nothing of it: Patroni
// would found a cluster where it finds none, have all nodes take its settings, and give roles its passwords.

// noSettings are those of a node that joins, as quorum-patroni reads them.
var noSettings = map[string]any{"postgresql": map[string]any{"parameters": map[string]string{}, "pg_hba": []string{}}}

// join has Patroni never found a cluster, by a method that fails, and take the rules of who may connect from this file: the
// nodes of others have theirs in files too.
func (c Config) join(f *conf) {
	if !c.Joins {
		return
	}
	f.Bootstrap.Method, f.Bootstrap.Join = "quorum_join", &command{Command: "/bin/false", NoParams: true}
	for _, rule := range c.pgHBA() {
		f.Postgresql.PgHBA = append(f.Postgresql.PgHBA, strings.ReplaceAll(rule, " clientcert=verify-ca", "")) // theirs have none
	}
}

// addMove adds what moves data to where they are here, on a volume that was there before: the Terraform modules had them
// below the major version.
func (c Config) addMove(s *guest.State) error {
	if !c.KeptVolume || c.Postgres.Version == nil {
		return nil
	}
	unit, err := c.unit(moveService)
	if err != nil {
		return err
	}
	s.Files = append(s.Files, guest.Unit(moveService, guest.Terse(unit)))
	s.Services = append(s.Services, guest.Service{Name: moveService, Timeout: secondsToLoad})
	return nil
}
