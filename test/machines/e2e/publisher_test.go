//go:build e2e

package e2e

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/libvirt/pki"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// publisher has a site on the sandbox's bridge that has etcd's releases where their publisher has them, under its name.
// No machine reaches that one.
type publisher struct{ address string }

const publisherName = "github.com"

func startPublisher(t *testing.T, versions ...string) publisher {
	t.Helper()
	built, err := engine.EtcdReleases()
	require.NoError(t, err, "run tools/build etcd")
	site := t.TempDir()
	for _, version := range versions {
		publish(t, filepath.Join(site, "etcd-io", "etcd", "releases", "download", "v"+version), built, version)
	}
	p := publisher{sandboxAbout(t).of("gateway")}
	cert, key := certificateOf(t, pki.Names{DNS: []string{publisherName}})
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.FileServer(http.Dir(site)))
	require.NoError(t, server.Listener.Close())
	server.Listener, server.TLS = listenInside(t, p.address, "443"), &tls.Config{Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return p
}

// publish makes the archive of a release, and the list of checksums beside it.
func publish(t *testing.T, dir, built, version string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	name := fmt.Sprintf("etcd-v%s-linux-%s.tar.gz", version, runtime.GOARCH)
	out, err := exec.Command("tar", "--create", "--gzip", "--file="+filepath.Join(dir, name), "--directory="+built,
		"--transform=s,^etcd-"+version+"$,etcd,", "--transform=s,^,"+name[:len(name)-len(".tar.gz")]+"/,", "etcd-"+version, "etcdctl").CombinedOutput()
	require.NoError(t, err, "%s", out)
	archive, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "SHA256SUMS"), fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(archive), name), 0o644))
}

// use has a machine that runs find the site, also after its next boot, and trust it.
func (p publisher) use(t *testing.T, machine string) {
	t.Helper()
	on(t, machine, "sh", "-ec", `echo "$0 $1" | tee --append /etc/hosts /etc/cloud/templates/hosts.debian.tmpl; echo "$2" >/usr/local/share/ca-certificates/publisher.crt; update-ca-certificates`,
		p.address, publisherName, readPKI(t, "ca.crt"))
}

// certificateOf signs one for a server, by the tests' authority.
func certificateOf(t *testing.T, names pki.Names) (cert, key string) {
	t.Helper()
	made, err := pki.NewKey("ECDSA", "P256", 0)
	require.NoError(t, err)
	request, _, err := pki.NewRequest(made.PEM, names)
	require.NoError(t, err)
	signed, err := pki.Sign(request, readPKI(t, "ca.crt"), readPKI(t, "ca.key"),
		pki.Terms{From: time.Now().Add(-time.Hour), Until: time.Now().Add(5 * time.Hour), Uses: []string{"server_auth"}})
	require.NoError(t, err)
	return signed.PEM, made.PEM
}
