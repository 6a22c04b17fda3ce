package explore

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/watch"
)

// postgresTruth is what a PostgreSQL cluster was at each moment, by what Patroni
// says on each node.
type postgresTruth struct {
	addresses func() map[string]string
	client    atomic.Pointer[http.Client] // once the state has a certificate for it

	lock    sync.Mutex
	samples []postgresSample
	systems map[string]bool
}

type postgresSample struct {
	at      time.Time
	healthy map[string]string // roles of the nodes that lead or stream, by name
	members map[string]bool   // names of those that ever did
}

// patroniPage is what Patroni says of a node.
type patroniPage struct {
	State       string `json:"state"`
	Role        string `json:"role"`
	System      string `json:"database_system_identifier"`
	Replication []struct {
		Node  string `json:"application_name"`
		State string `json:"state"`
		Sync  string `json:"sync_state"`
	} `json:"replication"`
}

// identify lets the truth ask Patroni.
func (t *postgresTruth) identify(cert, key string) {
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return
	}
	t.client.Store(&http.Client{
		Timeout: 3 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
			InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}, //nolint:gosec // it only looks
		}},
	})
}

func watchPostgres(r *recorder, addresses func() map[string]string) *postgresTruth {
	t := &postgresTruth{addresses: addresses, systems: map[string]bool{}}
	watch.Every(r, 300*time.Millisecond, func() { t.look() })
	return t
}

func (t *postgresTruth) look() postgresSample {
	addresses := t.addresses()
	var asked sync.WaitGroup
	var lock sync.Mutex
	now := postgresSample{at: time.Now(), healthy: map[string]string{}, members: map[string]bool{}}
	systems := map[string]bool{}
	for name, address := range addresses {
		asked.Go(func() {
			page, err := t.ask(address)
			lock.Lock()
			defer lock.Unlock()
			if err == nil && page.System != "" {
				systems[page.System] = true
			}
			if err == nil {
				maps.Copy(now.healthy, page.healthy(name))
			}
		})
	}
	asked.Wait()
	t.lock.Lock()
	defer t.lock.Unlock()
	if len(t.samples) > 0 {
		maps.Copy(now.members, t.samples[len(t.samples)-1].members)
	}
	for name := range now.healthy {
		now.members[name] = true
	}
	maps.Copy(t.systems, systems)
	t.samples = append(t.samples, now)
	return now
}

func (t *postgresTruth) ask(address string) (page patroniPage, err error) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "https://"+address+":4443/patroni", nil)
	if err != nil {
		return page, err
	}
	client := t.client.Load()
	if client == nil {
		return page, errors.New("there is no certificate yet")
	}
	answer, err := client.Do(request)
	if err != nil {
		return page, err
	}
	defer answer.Body.Close()
	return page, json.NewDecoder(answer.Body).Decode(&page)
}

// healthy are the roles of a node that leads and of those that stream from it.
func (p patroniPage) healthy(name string) map[string]string {
	all := map[string]string{}
	if p.State != "running" || p.Role != "master" && p.Role != "primary" {
		return all
	}
	all[name] = "leader"
	for _, each := range p.Replication {
		switch {
		case each.State != "streaming":
		case each.Sync == "sync" || each.Sync == "quorum":
			all[each.Node] = "sync"
		default:
			all[each.Node] = "replica"
		}
	}
	return all
}

// safe tells whether others than a node have all data.
func (s postgresSample) safe(without string) bool {
	for name, role := range s.healthy {
		if name != without && (role == "leader" || role == "sync") {
			return true
		}
	}
	return false
}

// databases are the identifiers of all that nodes ever had.
func (t *postgresTruth) databases() []string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return slices.Collect(maps.Keys(t.systems))
}

func (s postgresSample) leader() bool {
	return slices.Contains(slices.Collect(maps.Values(s.healthy)), "leader")
}

// allows is as for etcd.
func (t *postgresTruth) allows(began, at time.Time, enough func(postgresSample) bool) (bool, postgresSample) {
	t.lock.Lock()
	defer t.lock.Unlock()
	return allows(t.samples, began, at, enough)
}

func (s postgresSample) when() time.Time { return s.at }
