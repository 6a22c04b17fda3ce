package admin

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// listOf is the list of members that one of them has. One that serves no
// clients yet tells its peers.
func listOf(ctx context.Context, client *clientv3.Client, c host.EtcdConnection, r remnant) []*etcdserverpb.Member {
	ctx, cancel := context.WithTimeout(ctx, oneKnock)
	defer cancel()
	if r.status == nil {
		return listAtPeer(ctx, c, r.peer())
	}
	connection, err := client.Dial(r.address)
	if err != nil {
		return nil
	}
	defer connection.Close()
	answer, err := etcdserverpb.NewClusterClient(connection).MemberList(ctx, &etcdserverpb.MemberListRequest{})
	if err != nil {
		return nil
	}
	return answer.Members
}

func listAtPeer(ctx context.Context, c host.EtcdConnection, address string) (all []*etcdserverpb.Member) {
	text, err := get(ctx, c, "https://"+address+"/members")
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// measure takes the revision from a member's metrics: with passwords, new
// releases of etcd tell it only who is logged in, for which it takes a quorum.
func (r *remnant) measure(ctx context.Context, c host.EtcdConnection) {
	text, err := get(ctx, c, "https://"+r.address+"/metrics")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, "etcd_debugging_mvcc_current_revision "); is {
			if revision, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				r.status = &clientv3.StatusResponse{Header: &etcdserverpb.ResponseHeader{Revision: int64(revision)}}
			}
		}
	}
}

// get is what is at a URL.
func get(ctx context.Context, c host.EtcdConnection, url string) ([]byte, error) {
	secure, err := tlsConfig(c)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSClientConfig: secure}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New(answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, 8<<20))
}

// shownName is the common name of the certificate at an address: EtcdCluster
// has that of the member there. It is for messages only.
func shownName(ctx context.Context, address string) string {
	connection, err := (&tls.Dialer{Config: anybody}).DialContext(ctx, "tcp", address)
	if err != nil {
		return ""
	}
	defer connection.Close()
	if shown := connection.(*tls.Conn).ConnectionState().PeerCertificates; len(shown) > 0 {
		return shown[0].Subject.CommonName
	}
	return ""
}
