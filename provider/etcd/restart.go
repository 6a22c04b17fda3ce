package etcd

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// unmissed is in how many looks in a row a member must not serve before it may
// restart whatever the others do: one that is slow once is missed.
const unmissed = 3

// MayRestart waits until etcd may restart on the machine of a member: until the
// others hold a quorum without it, or it does not serve. It asks etcd's health
// check, which takes no user, so that it works while root's password changes.
func MayRestart(ctx context.Context, c host.EtcdConnection, members []HealthMember, name string, tells func(string)) error {
	secure, err := tlsConfig(c)
	if err != nil {
		return err
	}
	silent := 0
	err = wait.Until(ctx, GuardLimit, func(ctx context.Context) (missing string, err error) {
		faults := make([]string, len(members))
		sideBySide(len(members), func(i int) { faults[i] = unhealthy(ctx, secure, endpoint(members[i].IP)) })
		if ctx.Err() != nil { // who did not answer was given no time to
			return "whether etcd may restart on " + name + " could not be asked in time", nil
		}
		var wrong []string
		healthy, serves := 0, true
		for i, m := range members {
			switch {
			case m.Name == name:
				serves = faults[i] == ""
			case faults[i] == "":
				healthy++
			default:
				wrong = append(wrong, m.Name+" "+faults[i])
			}
		}
		if silent++; serves {
			silent = 0
		}
		if needed := min(quorum(len(members)), len(members)-1); healthy < needed && silent < unmissed {
			missing = fmt.Sprintf("%d healthy members are needed besides %s, %d are\n%s", needed, name, healthy, strings.Join(wrong, "\n"))
			tells(missing)
		}
		return missing, nil
	})
	return err
}

// unhealthy is why etcd's own health check at an address fails, or "". A full
// database is no reason: members answer, and vote.
func unhealthy(ctx context.Context, secure *tls.Config, address string) string {
	ctx, cancel := context.WithTimeout(ctx, oneKnock)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/health?exclude=NOSPACE", nil)
	if err != nil {
		return err.Error()
	}
	transport := &http.Transport{TLSClientConfig: secure}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(request)
	if err != nil {
		return "does not answer: " + wait.Cause(err)
	}
	defer answer.Body.Close()
	var said struct{ Health, Reason string }
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&said); err != nil {
		return "does not say how it is: " + err.Error()
	}
	if said.Health != "true" {
		return strings.TrimSpace("is not healthy " + said.Reason)
	}
	return ""
}
