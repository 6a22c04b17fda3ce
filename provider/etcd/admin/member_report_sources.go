package admin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// memberListOf is the list of members that one of them has, if it serves clients.
func memberListOf(ctx context.Context, client *clientv3.Client, r memberReport) []*etcdserverpb.Member {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
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

// readRevision reads the revision from a member's metrics: with authentication by
// password, recent releases of etcd report it only to clients that have logged in,
// which requires a quorum.
func (r *memberReport) readRevision(ctx context.Context, c host.EtcdConnection) {
	text, err := httpGet(ctx, c, "https://"+r.address+"/metrics")
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

// httpGet returns what is at a URL.
func httpGet(ctx context.Context, c host.EtcdConnection, url string) ([]byte, error) {
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

// certificateName is the common name of the certificate at an address: that of
// an EtcdCluster is the member's name. It is for messages only.
func certificateName(ctx context.Context, address string) string {
	if shown, err := certificateAt(ctx, address); err == nil {
		return shown.Subject.CommonName
	}
	return ""
}
