package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// GetConnection is a function for programs: what drivers take to connect to a database.
// It asks nothing of anybody.
type GetConnection struct{}

// ConnectionArgs say where a database is, and who connects to it.
type ConnectionArgs struct {
	Endpoints          []string            `pulumi:"endpoints"`
	Database           string              `pulumi:"database"`
	User               *string             `pulumi:"user,optional"`
	Password           *string             `pulumi:"password,optional" provider:"secret"`
	SSLRootCert        *string             `pulumi:"sslRootCert,optional"`
	TargetSessionAttrs *TargetSessionAttrs `pulumi:"targetSessionAttrs,optional"`
	ConnectTimeout     *int                `pulumi:"connectTimeout,optional"`
}

// Connection is the same in the forms that drivers take. Where a password is in it,
// SDKs make it secret, as all that comes of a secret argument.
type Connection struct {
	URI      string `pulumi:"uri"`
	Conninfo string `pulumi:"conninfo"`
	JDBCURL  string `pulumi:"jdbcUrl"`
}

// TargetSessionAttrs is which of several servers is taken, by what a session there may do.
type TargetSessionAttrs string

const (
	anySession    TargetSessionAttrs = "any"
	readWrite     TargetSessionAttrs = "read-write"
	readOnly      TargetSessionAttrs = "read-only"
	primary       TargetSessionAttrs = "primary"
	standby       TargetSessionAttrs = "standby"
	preferStandby TargetSessionAttrs = "prefer-standby"
)

// serverTypes are what pgjdbc calls them: its targetServerType.
var serverTypes = map[TargetSessionAttrs]string{
	anySession: "any", readWrite: "primary", readOnly: "secondary", primary: "primary", standby: "secondary", preferStandby: "preferSecondary",
}

// defaultConnectTimeout is more than HAProxy lets a client wait while no node leads. libpq's
// own, none, is that of TCP: two minutes, until it goes on from a machine that is off.
const defaultConnectTimeout = 5

var _ infer.Fn[ConnectionArgs, Connection] = GetConnection{}

// Invoke returns the connection in all forms.
func (GetConnection) Invoke(_ context.Context, req infer.FunctionRequest[ConnectionArgs]) (resp infer.FunctionResponse[Connection], err error) {
	a := req.Input
	var all []error
	for _, problem := range a.validate() {
		all = append(all, errors.New(problem.String()))
	}
	if len(all) > 0 {
		return resp, errors.Join(all...)
	}
	resp.Output = Connection{URI: a.uri(), Conninfo: a.conninfo(), JDBCURL: a.jdbcURL()}
	return resp, nil
}

// validate returns what is wrong with a, in field order. It shows no value of a password.
func (a ConnectionArgs) validate() check.List {
	var l check.List
	l.Required("endpoints", a.Endpoints)
	for i, endpoint := range a.Endpoints {
		l.Check(check.Index("endpoints", i), check.HostAndPort(endpoint))
	}
	l.Distinct(check.Each("endpoints", len(a.Endpoints), ""), a.Endpoints)
	l.Required("database", a.Database)
	for _, text := range []struct {
		path  string
		value *string
	}{{"database", &a.Database}, {"user", a.User}, {"password", a.Password}, {"sslRootCert", a.SSLRootCert}} {
		if text.value == nil {
			continue
		}
		if text.path != "database" {
			l.Required(text.path, *text.value)
		}
		if strings.Contains(*text.value, "\x00") {
			l.Add(text.path, "must have no NUL: no driver takes it")
		}
	}
	if a.Password != nil && a.User == nil {
		l.Add("user", "is required with password")
	}
	if strings.HasPrefix(ptr.Value(a.SSLRootCert), "-----BEGIN") {
		l.Add("sslRootCert", "must be the path of a file, where the program that connects has the certificate, not the certificate itself")
	}
	if a.TargetSessionAttrs != nil {
		l.OneOf("targetSessionAttrs", *a.TargetSessionAttrs, anySession, readWrite, readOnly, primary, standby, preferStandby)
	}
	if *a.ConnectTimeout < 2 {
		l.Add("connectTimeout", "must be 2 or more, which is libpq's least, not %d", *a.ConnectTimeout)
	}
	return l
}
