package admin

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// unmissed is in how many looks in a row a member must not serve before it may
// restart, whatever the others lack: in a single look it may just be slow.
const unmissed = 3

// MayRestart waits until etcd may restart on the machine of a member: until the
// others hold a quorum without it, or it does not serve. It uses etcd's health
// check, which needs no user, so that it works while root's password changes.
// If no member can be reached, it is not known whether this one serves, unless
// a refresh saw its machine off.
func MayRestart(ctx context.Context, c host.EtcdConnection, members []HealthMember, name string, seenOff bool, report func(string)) error {
	secure, err := tlsConfig(c)
	if err != nil {
		return err
	}
	all := voters(ctx, c, members)
	silent := 0
	waits := HealthArgs{Members: members}.waits(GuardLimit, unknown)
	waits.Say = report
	err = waits.Until(ctx, func(ctx context.Context) (missing string, err error) {
		faults, reached := make([]string, len(all)), make([]bool, len(all))
		sideBySide(len(all), func(i int) { faults[i], reached[i] = unhealthy(ctx, secure, all[i].address) })
		if ctx.Err() != nil { // members had no time to answer
			return "the check whether etcd may restart on " + name + " did not end in time", nil
		}
		var wrong []string
		healthy, others, serves := 0, 0, false
		for i, v := range all {
			switch {
			case v.name == name:
				serves = faults[i] == ""
				continue
			case faults[i] == "":
				healthy++
			default:
				wrong = append(wrong, v.name+" "+faults[i])
			}
			others++
		}
		nobody := !slices.Contains(reached, true)
		if silent++; serves || nobody && !seenOff {
			silent = 0
		}
		if needed := min(quorum(len(all)), others); healthy < needed && silent < unmissed {
			missing = fmt.Sprintf("the cluster needs %d healthy members besides %s, and has %d\n%s", needed, name, healthy, strings.Join(wrong, "\n"))
			if nobody {
				missing += "\nNo member can be reached from where Pulumi runs. If their machines are off, `pulumi up --refresh` starts them"
			}
		}
		return missing, nil
	})
	return advised(err, HealthArgs{Members: members}.blamed(err)...)
}

// voter is a member that votes, and where it serves.
type voter struct{ name, address string }

// voters are the voting members of the cluster or, while it does not answer or
// refuses us, the members of the program.
func voters(ctx context.Context, c host.EtcdConnection, members []HealthMember) (all []voter) {
	err := With(ctx, c, func(ctx context.Context, client *clientv3.Client) error {
		v, err := list(ctx, client)
		for _, m := range v.list {
			if !m.IsLearner {
				all = append(all, voter{m.Name, hostPort(first(m.ClientURLs))})
			}
		}
		return err
	})
	if err == nil {
		return all
	}
	all = nil
	for _, m := range members {
		all = append(all, voter{m.Name, endpoint(m.IP)})
	}
	return all
}

const isUnhealthy = "is not healthy"

// unhealthy is why etcd's own health check at an address fails, or "", and whether the machine
// was reached. A full database is no reason: members answer, and vote.
func unhealthy(ctx context.Context, secure *tls.Config, address string) (fault string, reached bool) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/health?exclude=NOSPACE", nil)
	if err != nil {
		return err.Error(), false
	}
	transport := &http.Transport{TLSClientConfig: secure, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
		reached = err == nil || errors.Is(err, syscall.ECONNREFUSED)
		return connection, err
	}}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(request)
	if err != nil {
		return "does not answer: " + wait.Cause(err), reached
	}
	defer answer.Body.Close()
	var said struct{ Health, Reason string }
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&said); err != nil {
		return "does not report its health: " + err.Error(), true
	}
	if said.Health != "true" {
		return strings.TrimSpace(isUnhealthy + " " + said.Reason), true
	}
	return "", true
}
