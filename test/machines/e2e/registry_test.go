//go:build e2e

package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	oci "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/libvirt/pki"
)

const (
	registryUser     = "robot$lb"
	registryPassword = "pull's $#6"
)

// registry is one on the sandbox's bridge that wants a login.
type registry struct {
	url, ca, digest string
	images          http.Handler
	stop            func()

	mutex sync.Mutex
	asked []string // paths, by who is logged in
	onAsk func()   // is called before they are answered
}

func (r *registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if user, password, _ := request.BasicAuth(); user != registryUser || password != registryPassword {
		w.Header().Set("WWW-Authenticate", `Basic realm="images"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	r.mutex.Lock()
	r.asked = append(r.asked, request.URL.Path)
	r.onAsk()
	r.mutex.Unlock()
	r.images.ServeHTTP(w, request)
}

// startRegistry has one image, below a path of the registry.
func startRegistry(t *testing.T, onAsk func()) *registry {
	t.Helper()
	r := &registry{images: oci.New(oci.Logger(log.New(io.Discard, "", 0))), onAsk: onAsk}
	r.digest = push(t, r.images, "base/lb/haproxy", "tested")

	address := sandboxAbout(t).of("gateway")
	cert, certKey := certificateOf(t, pki.Names{IPs: []string{address}})
	pair, err := tls.X509KeyPair([]byte(cert), []byte(certKey))
	require.NoError(t, err)

	server := httptest.NewUnstartedServer(r)
	require.NoError(t, server.Listener.Close())
	server.Listener, server.TLS = listenInside(t, address, "0"), &tls.Config{Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	t.Cleanup(server.Close)
	r.url, r.ca, r.stop = "https://"+server.Listener.Addr().String()+"/base", readPKI(t, "ca.crt"), server.Close
	return r
}

// listenInside listens in the sandbox's network namespace.
func listenInside(t *testing.T, address, port string) net.Listener {
	t.Helper()
	namespace, err := os.Open(filepath.Join("/run/netns", sandboxAbout(t).of("namespace")))
	require.NoError(t, err)
	defer func() { _ = namespace.Close() }()
	var listener net.Listener
	var inside sync.WaitGroup
	inside.Go(func() {
		runtime.LockOSThread() // for good: the thread ends with this function
		if err = unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err == nil {
			listener, err = net.Listen("tcp", net.JoinHostPort(address, port))
		}
	})
	inside.Wait()
	require.NoError(t, err)
	return listener
}

// push makes an image of the HAProxy in the baked root file system, with the
// libraries it needs, and gives its digest.
func push(t *testing.T, images http.Handler, repository, tag string) string {
	t.Helper()
	put := func(method, path string, kind types.MediaType, content []byte) v1.Descriptor {
		digest, size, err := v1.SHA256(bytes.NewReader(content))
		require.NoError(t, err)
		request := httptest.NewRequest(method, "/v2/"+repository+strings.ReplaceAll(path, "DIGEST", digest.String()), bytes.NewReader(content))
		request.Header.Set("Content-Type", string(kind))
		answer := httptest.NewRecorder()
		images.ServeHTTP(answer, request)
		require.Equal(t, http.StatusCreated, answer.Code, answer.Body)
		return v1.Descriptor{MediaType: kind, Size: size, Digest: digest}
	}
	encode := func(value any) []byte {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		return text
	}
	const blob = "/blobs/uploads/?digest=DIGEST"
	layer := put(http.MethodPost, blob, types.OCIUncompressedLayer, haproxyAndLibraries(t))
	config := put(http.MethodPost, blob, types.OCIConfigJSON, encode(v1.ConfigFile{
		OS: "linux", Architecture: runtime.GOARCH, RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{layer.Digest}},
	}))
	return put(http.MethodPut, "/manifests/"+tag, types.OCIManifestSchema1, encode(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: config, Layers: []v1.Descriptor{layer},
	})).Digest.String()
}

func haproxyAndLibraries(t *testing.T) []byte {
	t.Helper()
	rootfs, _, _ := strings.Cut(must(t, "image", string(baked)), "\n")
	const script = `cd "$0"
for library in $(chroot . ldd /usr/sbin/haproxy | grep -o '/[^ ]*'); do
	set -- "$@" ".$library"
done
tar --create --dereference usr/sbin/haproxy "$@"`
	layer, err := exec.Command("sh", "-ec", script, rootfs).Output()
	require.NoError(t, err)
	return layer
}

// inputs are those that have a load balancer use the registry.
func (r *registry) inputs(password string) string {
	return fmt.Sprintf("      containerRegistry: {url: %q, image: 'lb/haproxy:tested', username: %q, password: {fn::secret: %q}, caCert: %q}\n",
		r.url, registryUser, password, r.ca)
}
