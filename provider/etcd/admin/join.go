package admin

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// joining is what a member reports that waits to join, on a page that etcd-join
// serves in place of etcd, with the member's own certificate.
type joining struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

const blank = "blank" // the state of a member that has no data

// joiningAt asks at an address whether etcd waits there to join.
func joiningAt(ctx context.Context, c host.EtcdConnection, address string) (joining, bool) {
	secure, err := tlsConfig(c)
	if err != nil {
		return joining{}, false
	}
	return pageAt(ctx, secure, address)
}

// pageAt reads the page at an address.
func pageAt(ctx context.Context, secure *tls.Config, address string) (joining, bool) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/quorum/join", nil)
	if err != nil {
		return joining{}, false
	}
	transport := &http.Transport{TLSClientConfig: secure}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return joining{}, false
	}
	defer answer.Body.Close()
	var j joining
	err = json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&j)
	return j, err == nil && answer.StatusCode == http.StatusOK && j.State != ""
}
