// Package openstack is as much of OpenStack as the openstack plugin asks for:
// Keystone, Nova, Neutron, Cinder and Glance on one server, in the memory of a
// test. It keeps what was made, and refuses what OpenStack refuses: what is
// unknown, what another uses, user data that is too long.
package openstack

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Cloud is an OpenStack with one project.
type Cloud struct {
	mu      sync.Mutex
	url     string
	objects map[string]map[string]object // by kind and id
	made    int
	log     []string

	gigabytes float64 // that all volumes may have; 0 is no limit
}

// What is there from the beginning.
const (
	Image   = "00000000-0000-4000-8000-00000000000a"
	Image2  = "00000000-0000-4000-8000-00000000000b"
	Flavor  = "m1.small"
	Flavor2 = "m1.large"
	Network = "00000000-0000-4000-8000-00000000000c"
	Subnet  = "00000000-0000-4000-8000-00000000000d"
	Keypair = "admin"
)

// hosts are as many as a server group can hold apart.
const hosts = 5

// New runs a cloud until the test ends.
func New(t testing.TB) *Cloud {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return On(t, listener)
}

// On is New where a test wants it.
func On(t testing.TB, listener net.Listener) *Cloud {
	t.Helper()
	c := &Cloud{objects: map[string]map[string]object{}}
	c.put("images", object{"id": Image, "name": "debian-13", "status": "active"})
	c.put("images", object{"id": Image2, "name": "debian-14", "status": "active"})
	for _, name := range []string{Flavor, Flavor2} {
		c.put("flavors", object{"id": name, "name": name, "ram": 2048, "vcpus": 1, "disk": 10})
	}
	c.put("keypairs", object{"id": Keypair})
	c.put("networks", object{"id": Network, "name": "private", "status": "ACTIVE", "admin_state_up": true})
	c.put("subnets", object{"id": Subnet, "network_id": Network})
	server := httptest.NewUnstartedServer(c)
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// Env is how the plugin finds the cloud.
func (c *Cloud) Env() map[string]string {
	return map[string]string{
		"OS_AUTH_URL": c.url + "/v3", "OS_USERNAME": "admin", "OS_PASSWORD": "secret",
		"OS_PROJECT_NAME": "project", "OS_USER_DOMAIN_NAME": "Default", "OS_PROJECT_DOMAIN_NAME": "Default", "OS_REGION_NAME": "RegionOne",
	}
}

// Log is what was made, deleted and refused since Forget: "create servers etcd-1".
func (c *Cloud) Log() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.log...)
}

// Forget empties the log.
func (c *Cloud) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = nil
}

// Names are those of all things of a kind: servers, ports, volumes,
// os-server-groups, security-groups.
func (c *Cloud) Names(kind string) (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.objects[kind] {
		names = append(names, text(o, "name"))
	}
	return names
}

// refusal is an answer other than success.
type refusal struct {
	status int
	reason string
}

func (r refusal) Error() string { return r.reason }

func refuse(status int, reason string, about ...any) error {
	return refusal{status, fmt.Sprintf(reason, about...)}
}

// ServeHTTP answers the plugin.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var body object
	_ = json.NewDecoder(r.Body).Decode(&body) // most requests have none
	service, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	var answer any
	var err error
	switch service {
	case "v3":
		w.Header().Set("X-Subject-Token", "token")
		answer = c.token()
	case "compute":
		answer, err = c.nova(r.Method, strings.TrimPrefix(path, "v2.1/"), body)
	case "network":
		answer, err = c.neutron(r.Method, strings.TrimPrefix(path, "v2.0/"), r.URL.Query(), body)
	case "volume":
		answer, err = c.cinder(r.Method, strings.TrimPrefix(path, "v3/project/"), body)
	case "image":
		answer, err = c.get("images", strings.TrimPrefix(path, "v2/images/"))
	default:
		err = refuse(http.StatusNotFound, "no service %s", service)
	}
	w.Header().Set("Content-Type", "application/json")
	status := map[string]int{http.MethodPost: http.StatusCreated, http.MethodDelete: http.StatusNoContent}[r.Method]
	if status == 0 {
		status = http.StatusOK
	}
	if r.Method == http.MethodPost && (service == "compute" || service == "volume") && !strings.HasSuffix(path, "os-server-groups") {
		status = http.StatusAccepted
	}
	if strings.HasSuffix(path, "os-server-groups") {
		status = http.StatusOK
	}
	if refused, is := err.(refusal); is { //nolint:errorlint // made above, never wrapped
		if r.Method != http.MethodGet {
			c.log = append(c.log, fmt.Sprintf("refuse %s %s: %s", r.Method, path, refused.reason))
		}
		status, answer = refused.status, object{"error": object{"message": refused.reason, "code": refused.status}}
	}
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_ = json.NewEncoder(w).Encode(answer)
	}
}

// token has Keystone's list of services.
func (c *Cloud) token() object {
	var catalog []object
	for kind, path := range map[string]string{"compute": "compute/v2.1", "network": "network", "volumev3": "volume/v3/project", "image": "image"} {
		catalog = append(catalog, object{"type": kind, "name": kind, "endpoints": []object{
			{"interface": "public", "region": "RegionOne", "region_id": "RegionOne", "url": c.url + "/" + path + "/"},
		}})
	}
	return object{"token": object{"expires_at": "2099-01-01T00:00:00.000000Z", "catalog": catalog, "project": object{"id": "project"}}}
}
