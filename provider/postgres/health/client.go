// Package health has the resource that waits for a PostgreSQL cluster under
// Patroni: Health.
//
// A client queries Patroni's API, from where Pulumi runs. A look queries all
// nodes once; the result is a view, which is judged without further queries.
package health

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

const (
	// callTimeout bounds each request, so that a node which accepts connections
	// and never answers delays a look little.
	callTimeout = 2 * time.Second
	mostAnswer  = 1 << 20
)

// status is what a node reports of itself.
type status struct {
	State       string
	Role        string // before Patroni 4, a primary is a master
	Timeline    int
	SystemID    string `json:"database_system_identifier"`
	Version     int    `json:"server_version"` // of PostgreSQL, as 150004
	Replication []sender
	Xlog        struct {
		Location          int64  // of a primary
		ReceivedLocation  int64  `json:"received_location"` // of a replica
		ReplayedLocation  int64  `json:"replayed_location"`
		ReplayedTimestamp string `json:"replayed_timestamp"`
	}
	Patroni struct{ Name, Scope, Version string } // before Patroni 3.1 there is no name

	ReplicationState string `json:"replication_state"` // of a replica that streams or has a restore_command; before Patroni 3.0.4 there is none

	PendingRestart bool            `json:"pending_restart"`
	PendingReason  json.RawMessage `json:"pending_restart_reason"` // before Patroni 4 there is none

	certificate []byte // that it presented
}

// sender is a replication connection from a primary to a replica.
type sender struct {
	Node  string `json:"application_name"`
	State string
}

// cluster is the state of the cluster, which the nodes keep in etcd.
type cluster struct {
	Members   []member
	Pause     bool
	Scheduled *struct{ At, From, To string } `json:"scheduled_switchover"`
}

type member struct {
	Name, Role, State string
	APIURL            string `json:"api_url"`
	Tags              struct{ NoFailover bool }
}

// client asks nodes by Patroni's API:
// https://patroni.readthedocs.io/en/latest/rest_api.html
type client struct{ http *http.Client }

func newClient(caCert, clientCert, clientKey string) (client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(caCert)) {
		return client{}, errors.New("caCert has no certificate")
	}
	pair, err := tls.X509KeyPair([]byte(clientCert), []byte(clientKey))
	if err != nil {
		return client{}, fmt.Errorf("clientCert and clientKey: %w", err)
	}
	// No proxy, and no connection that outlives a machine.
	return client{&http.Client{Transport: &http.Transport{
		DialTLSContext: verifier{roots, pair}.dial, DisableKeepAlives: true,
	}}}, nil
}

// status asks a node for its own status.
func (c client) status(ctx context.Context, n Node) (s status, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	state, err := c.call(ctx, n, http.MethodGet, "/patroni", nil, &s)
	if err == nil {
		s.certificate = state.PeerCertificates[0].Raw
	}
	return s, err
}

// cluster asks a node for the state of the cluster.
func (c client) cluster(ctx context.Context, n Node) (all cluster, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err = c.call(ctx, n, http.MethodGet, "/cluster", nil, &all)
	return all, err
}

// switchover asks a node for a switchover from leader to candidate. It returns
// when that is done.
func (c client) switchover(ctx context.Context, asked Node, leader, candidate string) error {
	_, err := c.call(ctx, asked, http.MethodPost, "/switchover", map[string]string{"leader": leader, "candidate": candidate}, nil)
	return err
}

// restart restarts the PostgreSQL of a node, if that is as the filter says. It returns when that
// is done.
func (c client) restart(ctx context.Context, n Node, filter map[string]any) error {
	_, err := c.call(ctx, n, http.MethodPost, "/restart", filter, nil)
	return err
}

// wake makes a node check its cluster now, not only after its loop_wait, as a
// change of settings does. Here it removes a setting that does not exist.
func (c client) wake(ctx context.Context, n Node) error {
	return c.patch(ctx, n, map[string]any{"wake": nil})
}

// patch changes settings of the cluster.
func (c client) patch(ctx context.Context, n Node, settings map[string]any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := c.call(ctx, n, http.MethodPatch, "/config", settings, nil)
	return err
}

// call sends body, if there is one, and reads the answer into result.
func (c client) call(ctx context.Context, n Node, method, path string, body, result any) (*tls.ConnectionState, error) {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return nil, fmt.Errorf("marshal the body of %s: %w", path, err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, "https://"+n.address()+path, &content)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err
		}
		return nil, errors.New(wait.Cause(err))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	switch {
	case err != nil:
		return nil, errors.New(wait.Cause(err))
	case answer.StatusCode == http.StatusForbidden:
		return nil, statusError{answer.StatusCode, fmt.Sprintf("%s %s: %s: %s: the address that Pulumi connects from may have to be added to patroni.allowlist",
			method, path, answer.Status, strings.TrimSpace(string(text)))}
	case answer.StatusCode != http.StatusOK:
		return nil, statusError{answer.StatusCode, fmt.Sprintf("%s %s: %s: %s", method, path, answer.Status, strings.TrimSpace(string(text)))}
	case result != nil:
		if err := json.Unmarshal(text, result); err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	return answer.TLS, nil
}

// statusError is an answer of a node with an HTTP status other than 200.
type statusError struct {
	code int
	text string
}

func (e statusError) Error() string { return e.text }

func (n Node) address() string { return ports.At(n.IP, *n.APIPort) }
