// Package admin has the resources that are in a PostgreSQL cluster, not on a machine:
// its users, its databases with their extensions, and what users may do there.
//
// Each connects to the server that takes writes, from where Pulumi runs.
package admin

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Connection is how to reach a cluster, as its superuser.
type Connection struct {
	Endpoints  []string `pulumi:"endpoints"`
	CACert     string   `pulumi:"caCert"`
	User       *string  `pulumi:"user,optional"`
	Password   *string  `pulumi:"password,optional" provider:"secret"`
	ClientCert *string  `pulumi:"clientCert,optional"`
	ClientKey  *string  `pulumi:"clientKey,optional" provider:"secret"`
}

// Object is what a resource manages in PostgreSQL: a user, a database, a grant.
type Object = object.Object[Connection]

const (
	superuser   = "postgres"
	maintenance = "postgres" // the database that is there whatever else is
)

// to points to a value.
func to[T any](v T) *T { return &v }

func (c Connection) user() string { return cmp.Or(ptr.Value(c.User), superuser) }

// Service is what messages call it.
func (Connection) Service() string { return "PostgreSQL" }

// Together reports whether two connections are to the same cluster: whether they
// share an endpoint.
func (c Connection) Together(other Connection) bool {
	return slices.ContainsFunc(c.Endpoints, func(at string) bool { return slices.Contains(other.Endpoints, at) })
}

// SameUser reports whether PostgreSQL knows both by the same name.
func (c Connection) SameUser(other Connection) bool { return c.user() == other.user() }

// Outage is what an outage is remembered by.
func (c Connection) Outage() string {
	return strings.Join(append(slices.Sorted(slices.Values(c.Endpoints)), c.user(), ptr.Value(c.ClientCert), c.CACert), " ")
}

// fromEnvironment is the connection that psql would use, for imports: a resource that is
// imported has no inputs yet.
func fromEnvironment() (c Connection, err error) {
	hosts, numbers := strings.Split(os.Getenv("PGHOST"), ","), strings.Split(cmp.Or(os.Getenv("PGPORT"), "5432"), ",")
	if hosts[0] == "" {
		return c, errors.New("to import, set the environment variables by which psql reaches PostgreSQL: PGHOST, PGPORT, PGSSLROOTCERT, PGPASSWORD, where they are needed PGUSER, PGSSLCERT and PGSSLKEY")
	}
	for i, host := range hosts {
		c.Endpoints = append(c.Endpoints, net.JoinHostPort(host, numbers[min(i, len(numbers)-1)]))
	}
	file := func(variable string) *string {
		text, failed := os.ReadFile(os.Getenv(variable))
		if failed != nil {
			err = cmp.Or(err, fmt.Errorf("read the file of %s: %w", variable, failed))
		}
		return to(string(text))
	}
	c.CACert = *file("PGSSLROOTCERT")
	if os.Getenv("PGSSLCERT") != "" {
		c.ClientCert, c.ClientKey = file("PGSSLCERT"), file("PGSSLKEY")
	}
	c.User = to(cmp.Or(os.Getenv("PGUSER"), superuser))
	if password := os.Getenv("PGPASSWORD"); password != "" {
		c.Password = &password
	}
	return c, err
}

// orFromEnvironment fills in the connection of a resource that is being imported. shown
// is the connection without secrets, since the inputs of an import become a program, in
// clear.
func orFromEnvironment(c *Connection) (shown Connection, err error) {
	if len(c.Endpoints) > 0 {
		return *c, nil
	}
	*c, err = fromEnvironment()
	shown = *c
	shown.Password, shown.ClientKey = nil, nil
	return shown, err
}
