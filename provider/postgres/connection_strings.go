package postgres

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// setting is one of a connection, in the driver's own words.
type setting struct{ name, value string }

// options are those that come after hosts, database and user, in libpq's words.
func (a ConnectionArgs) options() (all []setting) {
	if a.TargetSessionAttrs != nil {
		all = append(all, setting{"target_session_attrs", string(*a.TargetSessionAttrs)})
	}
	all = append(all, setting{"sslmode", "verify-full"})
	if a.SSLRootCert != nil {
		all = append(all, setting{"sslrootcert", *a.SSLRootCert})
	}
	return append(all, setting{"connect_timeout", strconv.Itoa(*a.ConnectTimeout)})
}

// uri is libpq's connection URI.
func (a ConnectionArgs) uri() string {
	who := ""
	if a.User != nil {
		who = escape(*a.User)
		if a.Password != nil {
			who += ":" + escape(*a.Password)
		}
		who += "@"
	}
	return "postgresql://" + who + strings.Join(a.Endpoints, ",") + "/" + escape(a.Database) + query(a.options())
}

// conninfo is libpq's string of keywords and values.
func (a ConnectionArgs) conninfo() string {
	var hosts, ports []string
	for _, endpoint := range a.Endpoints {
		host, port, _ := net.SplitHostPort(endpoint)
		hosts, ports = append(hosts, host), append(ports, port)
	}
	if len(slices.Compact(slices.Clone(ports))) == 1 {
		ports = ports[:1] // one is taken for all
	}
	all := []setting{{"host", strings.Join(hosts, ",")}, {"port", strings.Join(ports, ",")}, {"dbname", a.Database}}
	for _, optional := range []struct {
		name  string
		value *string
	}{{"user", a.User}, {"password", a.Password}} {
		if optional.value != nil {
			all = append(all, setting{optional.name, *optional.value})
		}
	}
	var words []string
	for _, s := range append(all, a.options()...) {
		words = append(words, s.name+"="+quote(s.value))
	}
	return strings.Join(words, " ")
}

// jdbcURL is that of PostgreSQL's own driver for Java, pgjdbc.
func (a ConnectionArgs) jdbcURL() string {
	var all []setting
	if a.User != nil {
		all = append(all, setting{"user", *a.User})
	}
	if a.Password != nil {
		all = append(all, setting{"password", *a.Password})
	}
	if a.TargetSessionAttrs != nil {
		all = append(all, setting{"targetServerType", serverTypes[*a.TargetSessionAttrs]})
	}
	all = append(all, setting{"sslmode", "verify-full"})
	if a.SSLRootCert != nil {
		all = append(all, setting{"sslrootcert", *a.SSLRootCert})
	}
	all = append(all, setting{"connectTimeout", strconv.Itoa(*a.ConnectTimeout)})
	return "jdbc:postgresql://" + strings.Join(a.Endpoints, ",") + "/" + escape(a.Database) + query(all)
}

// query is the part of a URL after its path. Slashes of paths of files stay readable.
func query(all []setting) string {
	var words []string
	for _, s := range all {
		words = append(words, s.name+"="+strings.ReplaceAll(escape(s.value), "%2F", "/"))
	}
	return "?" + strings.Join(words, "&")
}

// escape leaves nothing that means something in a URL. A space is no +, which libpq takes for one.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// quote is a value as libpq reads it, as it is where it can be.
func quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n\r\f\v'\\") {
		return s
	}
	return admin.Word(s)
}
