package haproxy

import (
	_ "embed"
	"fmt"
	"net/url"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

const (
	containerProgram = "/usr/local/lib/quorum/haproxy-container"
	containerHome    = "/etc/haproxy-container"
	containerConf    = containerHome + "/container.conf"
	containerSecret  = containerHome + "/registry-password"

	secondsToPull = 900
)

//go:embed haproxy-container
var program string

//go:embed haproxy.service
var unit string

// container adds to s what runs HAProxy from an image.
func (c Config) container(s *guest.State) {
	s.Packages = []guest.Package{
		{Name: "podman", Provides: []string{"/usr/bin/podman"}},
		{Name: "ca-certificates", Provides: []string{"/etc/ssl/certs/ca-certificates.crt"}},
	}
	s.Users = []guest.User{{Name: user, Home: "/var/lib/haproxy"}}
	s.Directories = append(s.Directories, guest.Directory{Path: containerHome, Owner: "root", Group: "root", Mode: "0755"})
	s.Files = append(s.Files,
		guest.Public(containerConf, c.Registry.conf()),
		guest.Program(containerProgram, program),
		guest.Unit(Service, unit),
	)
	if c.Registry.Password != nil {
		s.Files = append(s.Files, guest.Private(containerSecret, "root", *c.Registry.Password+"\n"))
	}
	if c.Registry.CACert != nil {
		s.Files = append(s.Files, guest.Public("/etc/containers/certs.d/"+c.Registry.host()+"/ca.crt", *c.Registry.CACert))
	}
	service := &s.Services[0]
	service.RestartOn = []string{containerConf, containerProgram}
	service.Verify = []string{containerProgram, "check"}
	service.Timeout = secondsToPull
}

// conf is what the program reads: assignments of the shell.
func (r Registry) conf() string {
	var b strings.Builder
	set := func(name, value string) {
		fmt.Fprintf(&b, "%s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	set("image", r.image())
	set("registry", r.host())
	set("tls_verify", fmt.Sprint(!strings.HasPrefix(r.URL, "http://")))
	if r.Username != nil {
		set("username", *r.Username)
	}
	return b.String()
}

// host is the registry as images are named by it. A name without dot or port
// would be taken for a directory of Docker's.
func (r Registry) host() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return "" // refused by Validate
	}
	if strings.ContainsAny(u.Host, ".:") {
		return u.Host
	}
	if u.Scheme == "http" {
		return u.Host + ":80"
	}
	return u.Host + ":443"
}

// image is the whole name of the image.
func (r Registry) image() string {
	image := defaultImage
	if r.Image != nil {
		image = *r.Image
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	return r.host() + strings.TrimSuffix(u.Path, "/") + "/" + image
}
