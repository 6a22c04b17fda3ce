package admin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// answer is what a member reports of itself at one of its addresses.
type answer struct {
	status *clientv3.StatusResponse // nil where etcd does not answer
	fault  string                   // what is wrong with the member, or ""
	alarms []alarm                  // that are raised in the cluster
	page   joining                  // of a member that waits to join
}

// alarm is one that is raised in the cluster, and the member that raised it.
type alarm struct {
	member uint64
	name   string // NOSPACE or CORRUPT
}

// alarms are those among the errors that a member reports, as
// "memberID:8630161756594109333 alarm:NOSPACE", without the member where etcd names none.
func alarms(reported []string) (all []alarm) {
	for _, text := range reported {
		var a alarm
		named, _ := fmt.Sscanf(text, "memberID:%d alarm:%s", &a.member, &a.name)
		unnamed, _ := fmt.Sscanf(text, "alarm:%s", &a.name)
		if named == 2 || unnamed == 1 {
			all = append(all, a)
		}
	}
	return all
}

// askAll asks at all addresses in parallel, so that one that does not answer does not
// delay the others.
func askAll(ctx context.Context, client *clientv3.Client, c host.EtcdConnection, addresses []string) map[string]answer {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	slices.Sort(addresses)
	addresses = slices.Compact(addresses)
	answers := make([]answer, len(addresses))
	sideBySide(len(addresses), func(i int) { answers[i] = ask(ctx, client, c, addresses[i]) })
	all := map[string]answer{}
	for i, address := range addresses {
		all[address] = answers[i]
	}
	return all
}

// sideBySide calls do for 0 to n-1, all at once, and waits for all.
func sideBySide(n int, do func(int)) {
	var begun fault.Group
	for i := range n {
		begun.Go(func() { do(i) })
	}
	begun.Wait()
}

func ask(ctx context.Context, client *clientv3.Client, c host.EtcdConnection, address string) (a answer) {
	status, err := statusAt(ctx, client, address)
	if err != nil {
		a.fault = "does not answer: " + reason(err)
		a.page, _ = joiningAt(ctx, c, address)
		return a
	}
	a.status = status
	a.alarms = alarms(status.Errors)
	if status.Leader == 0 {
		a.fault = "sees no leader"
	}
	return a
}

// statusAt asks one address, once: etcd's client would retry one that does not
// answer until ctx ends.
func statusAt(ctx context.Context, client *clientv3.Client, address string) (*clientv3.StatusResponse, error) {
	reached, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	reached.Close()
	connection, err := client.Dial(address)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	s, err := etcdserverpb.NewMaintenanceClient(connection).Status(ctx, &etcdserverpb.StatusRequest{})
	return (*clientv3.StatusResponse)(s), err
}

// Alive reports for each address whether etcd may serve there: a TLS server
// answers, with a certificate that has not expired, and does not say that it
// has no data. It needs no client certificate, and takes two seconds at most.
func Alive(ctx context.Context, addresses []string) []bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	all := make([]bool, len(addresses))
	sideBySide(len(addresses), func(i int) { all[i] = serves(ctx, addresses[i]) })
	return all
}

func serves(ctx context.Context, address string) bool {
	return greets(ctx, address) && !isBlank(ctx, address)
}

// anyCertificate accepts any certificate: who answers does not matter, and no secret
// is sent.
var anyCertificate = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec

// isBlank reports whether a machine says that it has no data.
func isBlank(ctx context.Context, address string) bool {
	page, shown := pageAt(ctx, anyCertificate.Clone(), address)
	return shown && page.State == blank
}

// greets reports whether a TLS server answers, with a certificate that has not
// expired.
func greets(ctx context.Context, address string) bool {
	shown, err := certificateAt(ctx, address)
	return err == nil && time.Now().Before(shown.NotAfter)
}

// certificateAt is that of the TLS server at an address.
func certificateAt(ctx context.Context, address string) (*x509.Certificate, error) {
	connection, err := (&tls.Dialer{Config: anyCertificate}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState().PeerCertificates[0], nil // a server has one
}

// hostPort is the host and port of a URL or an address, spelled in one way:
// members may list theirs with names, or with another spelling of IPv6.
func hostPort(address string) string {
	if _, after, is := strings.Cut(address, "://"); is {
		address = after
	}
	address = strings.TrimSuffix(address, "/")
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		name = ip.String()
	}
	return net.JoinHostPort(name, port)
}
