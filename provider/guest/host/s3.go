package host

import (
	"net"
	"net/url"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// S3 is where backups are kept: a place in a bucket of a service that speaks S3. PostgreSQL's and
// etcd's have the same inputs.
type S3 struct {
	Endpoint  string    `pulumi:"endpoint"`
	Bucket    string    `pulumi:"bucket"`
	Prefix    *string   `pulumi:"prefix,optional"`
	Region    *string   `pulumi:"region,optional"`
	AccessKey string    `pulumi:"accessKey" provider:"secret"`
	SecretKey string    `pulumi:"secretKey" provider:"secret"`
	CACert    *string   `pulumi:"caCert,optional"`
	URIStyle  *URIStyle `pulumi:"uriStyle,optional"`
}

// URIStyle says where in an address the bucket is.
type URIStyle string

// The styles, as pgBackRest names them.
const (
	PathStyle URIStyle = "path"
	HostStyle URIStyle = "host"
)

const (
	defaultS3Region = "us-east-1"
	defaultS3Port   = "443"
)

// Address is the host and port of the service.
func (s S3) Address() (host, port string) {
	u, err := url.Parse(s.Endpoint)
	if err != nil {
		return s.Endpoint, defaultS3Port // it is refused
	}
	if port = u.Port(); port == "" {
		port = defaultS3Port
	}
	return u.Hostname(), port
}

// Directory is the prefix as a path from the bucket's root.
func (s S3) Directory() string {
	if s.Prefix == nil {
		return "/"
	}
	return "/" + strings.Trim(*s.Prefix, "/")
}

// Place names bucket, prefix and service for people.
func (s S3) Place() string {
	host, port := s.Address()
	return "s3://" + s.Bucket + strings.TrimSuffix(s.Directory(), "/") + " at " + net.JoinHostPort(host, port)
}

// SamePlace reports whether what is written to s and to other may meet.
func (s S3) SamePlace(other S3) bool {
	host, port := s.Address()
	otherHost, otherPort := other.Address()
	return strings.EqualFold(host, otherHost) && port == otherPort && s.Bucket == other.Bucket && s.Directory() == other.Directory()
}

// Validate returns what is wrong with s.
func (s S3) Validate() check.List {
	var l check.List
	l.Check("endpoint", endpoint(s.Endpoint))
	if !check.Matches(`[a-z0-9][-a-z0-9.]{1,61}[a-z0-9]`, s.Bucket) || strings.Contains(s.Bucket, "..") {
		l.Add("bucket", "must be the name of a bucket: 3 to 63 of a-z, 0-9, - and ., beginning and ending with a letter or digit, not %s", check.Quote(s.Bucket))
	}
	if p := s.Prefix; p != nil && (!check.Matches(`/?[A-Za-z0-9_.=-]+(/[A-Za-z0-9_.=-]+)*/?`, *p) || strings.Contains(*p, "..")) {
		l.Add("prefix", "must be a path in the bucket of A-Z, a-z, 0-9, _, ., =, - and /, as in backups/postgres, not %s", check.Quote(*p))
	}
	if !check.Matches(`[A-Za-z0-9]([-A-Za-z0-9_]*[A-Za-z0-9])?`, *s.Region) {
		l.Add("region", "must be the name of a region, as in eu-central-1, not %s", check.Quote(*s.Region))
	}
	l.Check("accessKey", check.Word(s.AccessKey))
	l.Check("secretKey", check.Word(s.SecretKey))
	if s.CACert != nil {
		_, reason := check.Certificates(*s.CACert)
		l.Check("caCert", reason)
	}
	return l
}

// endpoint requires what pgBackRest and restic both take: they speak TLS only, and add the bucket.
func endpoint(s string) string {
	const form = "must be an https URL without a path, as in https://s3.example.org or https://s3.example.org:9000"
	u, err := url.Parse(s)
	switch {
	case err != nil || u.User != nil:
		return form // the text may hold a password
	case u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return form + ", not " + check.Quote(s)
	}
	return ""
}
