package health

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// sslRequest asks a PostgreSQL whether it takes TLS:
// https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-SSLREQUEST
var sslRequest = []byte{0, 0, 0, 8, 4, 210, 22, 47}

// balancers says what is missing until load balancers connect to the cluster:
// all of LoadBalancers, and one of OtherLoadBalancers. Of the latter only those
// count that were inputs of the gate before: others may not exist yet.
func (g *gate) balancers(ctx context.Context) (missing []string) {
	known := slices.DeleteFunc(slices.Clone(g.OtherLoadBalancers), func(b LoadBalancer) bool {
		return !slices.ContainsFunc(g.old.Others, func(o LoadBalancer) bool { return o.Endpoint == b.Endpoint })
	})
	mine, others := g.lacks(ctx, g.LoadBalancers), g.lacks(ctx, known)
	if g.OtherLoadBalancers != nil {
		if g.isAway(mine) {
			return nil
		}
		mine = nil // it is about to change
	}
	if !slices.ContainsFunc(others, func(lines []string) bool { return len(lines) == 0 }) {
		mine = append(mine, others...)
	}
	return slices.Concat(mine...)
}

// isAway reports whether the load balancer that is about to change has not
// worked for a while: then it may change, whatever the others lack.
func (g *gate) isAway(lacks [][]string) bool {
	away := len(lacks) > 0 && slices.ContainsFunc(lacks[0], func(line string) bool { return strings.HasPrefix(line, g.LoadBalancers[0].Endpoint+": ") })
	switch {
	case !away:
		g.awaySince = time.Time{}
	case g.awaySince.IsZero():
		g.awaySince = time.Now()
	}
	return away && time.Since(g.awaySince) >= settleTime
}

// lacks is what each load balancer lacks. All are asked at the same time.
func (g *gate) lacks(ctx context.Context, of []LoadBalancer) [][]string {
	leader := g.last.holder()
	lines := make([][2]string, len(of))
	var all fault.Group
	for i, b := range of {
		if !g.last.isStandby() { // whose clients find nobody there who takes writes
			all.Go(func() { lines[i][0] = g.last.reaches(ctx, b.Endpoint, leader, true) })
		}
		if !ptr.Value(b.External) && g.last.follows(leader, *g.MaximumLag) { // others may have no port for replicas
			all.Go(func() { lines[i][1] = g.last.reaches(ctx, b.ReplicaEndpoint, leader, false) })
		}
	}
	all.Wait()
	missing := make([][]string, len(of))
	for i := range lines {
		missing[i] = slices.DeleteFunc(lines[i][:], func(line string) bool { return line == "" })
	}
	return missing
}

// reaches says what is missing until an endpoint of a load balancer connects to
// the leader (primary) or to a replica. It identifies a node by the certificate
// that its PostgreSQL and its Patroni share.
func (v view) reaches(ctx context.Context, endpoint, leader string, primary bool) (missing string) {
	certificate, err := certificateAt(ctx, endpoint)
	if err != nil {
		return fmt.Sprintf("%s: no PostgreSQL server answers through the load balancer: %s", endpoint, err)
	}
	to := ""
	for _, n := range v.nodes { // nodes may share a certificate
		if bytes.Equal(certificate, v.answers[n.Name].certificate) {
			if to = n.Name; (n.Name == leader) == primary {
				return ""
			}
		}
	}
	if to == "" {
		return endpoint + ": the load balancer connects to a PostgreSQL server that is not one of the nodes"
	}
	if primary {
		return fmt.Sprintf("%s: the load balancer connects to %s, not to the leader %s", endpoint, to, leader)
	}
	return fmt.Sprintf("%s: the load balancer connects to the leader %s, not to a replica", endpoint, leader)
}

// certificateAt is the certificate of the PostgreSQL server at an endpoint. It
// is compared with that of a node, which was verified, so it needs no further
// check.
func certificateAt(ctx context.Context, endpoint string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return nil, errors.New(wait.Cause(err))
	}
	defer connection.Close()
	end, _ := ctx.Deadline()
	if err := connection.SetDeadline(end.Add(-time.Millisecond)); err != nil {
		return nil, err
	}
	answer := make([]byte, 1)
	if _, err = connection.Write(sslRequest); err == nil {
		_, err = io.ReadFull(connection, answer)
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it closes the connection")
	case err != nil:
		return nil, errors.New(wait.Cause(err))
	case answer[0] != 'S':
		return nil, errors.New("it does not accept TLS")
	}
	secure := tls.Client(connection, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.New(wait.Cause(err))
	}
	return secure.ConnectionState().PeerCertificates[0].Raw, nil
}

// Away reports which endpoints of load balancers connect to no PostgreSQL
// server, in all looks for a while, although another endpoint does.
func Away(ctx context.Context, endpoints []string) []bool {
	away := slices.Repeat([]bool{true}, len(endpoints))
	for begun := time.Now(); ; {
		var all fault.Group
		for i, endpoint := range endpoints {
			if away[i] {
				all.Go(func() {
					_, err := certificateAt(ctx, endpoint)
					away[i] = err != nil
				})
			}
		}
		all.Wait()
		if slices.Contains(away, true) && time.Since(begun) < settleTime && wait.Sleep(ctx, time.Second) {
			continue
		}
		if !slices.Contains(away, false) {
			return make([]bool, len(endpoints)) // the fault is elsewhere
		}
		return away
	}
}
