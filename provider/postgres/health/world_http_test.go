package health_test

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.world.mutex.Lock()
	defer n.world.mutex.Unlock()
	n.world.calls++
	switch r.Method + " " + r.URL.Path {
	case "GET /patroni":
		reply(w, n.status())
	case "GET /cluster":
		reply(w, n.world.cluster())
	case "POST /switchover":
		n.world.switchover(w, r)
	case "POST /restart":
		n.restart(w, r)
	case "GET /config":
		if n.world.config == nil { // as before the cluster is initialised
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		reply(w, n.world.config)
	case "PATCH /config":
		if n.lacksEtcd {
			http.Error(w, "", http.StatusServiceUnavailable)
			return
		}
		var patch map[string]any
		if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		merge(n.world.config, patch)
		n.wake()
	default:
		w.WriteHeader(http.StatusNotImplemented)
	}
}

func (n *node) status() map[string]any {
	s := map[string]any{
		"state": n.state, "role": "replica", "timeline": 1 + len(n.world.switches),
		"xlog":                       map[string]any{"received_location": n.location, "replayed_location": n.location, "paused": false},
		"database_system_identifier": "7268616322854375442",
		"patroni":                    map[string]any{"version": "4.1.1", "scope": "main", "name": n.name},
	}
	if n.world.version > 0 {
		s["server_version"] = n.world.version
	}
	if n.waits() {
		s["pending_restart"] = true
		if n.world.reasons {
			s["pending_restart_reason"] = map[string]any{"max_connections": map[string]any{"old_value": fmt.Sprint(n.connections), "new_value": fmt.Sprint(n.world.wanted)}}
		}
	}
	if n.blank {
		delete(s, "database_system_identifier")
		s["role"] = "uninitialized"
	}
	if n.name != n.world.leader {
		return s
	}
	var senders []map[string]any
	for _, other := range n.world.nodes {
		if other != n && other.state == "running" {
			senders = append(senders, map[string]any{"application_name": other.name, "state": "streaming", "usename": "replicator"})
		}
	}
	if s["replication"] = senders; n.world.isStandby() {
		if s["role"] = "standby_leader"; n.world.receives != "" {
			s["replication_state"] = n.world.receives
		}
		return s
	}
	s["role"], s["xlog"] = "primary", map[string]any{"location": n.location}
	return s
}

// isStandby is whether the settings have the cluster follow another one.
func (w *world) isStandby() bool { return w.config["standby_cluster"] != nil }

func (w *world) cluster() map[string]any {
	members := []map[string]any{}
	for _, n := range w.nodes {
		role, state := "replica", "streaming"
		switch {
		case n.name == w.leader:
			if role, state = "leader", n.state; w.isStandby() {
				role = "standby_leader"
			}
		case n.synchronous:
			role = "sync_standby"
		}
		if n.state != "running" {
			state = n.state
		}
		if n.member {
			url := fmt.Sprintf("https://%s:%d/patroni", n.ip, w.port)
			members = append(members, map[string]any{"name": n.name, "role": role, "state": state, "api_url": url, "tags": map[string]any{}})
		}
	}
	all := map[string]any{"scope": "main", "members": members}
	if w.pause {
		all["pause"] = true
	}
	if w.scheduled != nil {
		all["scheduled_switchover"] = w.scheduled
	}
	return all
}

// switchover takes a moment in which nobody leads. The new leader makes
// another node its synchronous standby.
func (w *world) switchover(out http.ResponseWriter, r *http.Request) {
	var asked struct{ Leader, Candidate string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Leader != w.leader {
		http.Error(out, "leader name does not match", http.StatusPreconditionFailed)
		return
	}
	w.leader = ""
	w.mutex.Unlock()
	time.Sleep(1200 * time.Millisecond)
	w.mutex.Lock()
	w.leader = asked.Candidate
	w.switches = append(w.switches, asked.Leader+" to "+asked.Candidate)
	for _, n := range w.nodes {
		n.synchronous = n.name != asked.Candidate && n.name != asked.Leader
	}
	for _, n := range w.nodes {
		if n.name == asked.Leader {
			n.begin()
			w.elects(n)
		}
	}
	fmt.Fprintf(out, "Successfully switched over to %q", asked.Candidate)
}

// restart takes a moment in which the node does not stream.
func (n *node) restart(out http.ResponseWriter, r *http.Request) {
	var filter map[string]any
	_ = json.NewDecoder(r.Body).Decode(&filter)
	_, onlyPending := filter["restart_pending"]
	if onlyPending && !n.waits() || filter["role"] == "replica" && n.name == n.world.leader {
		http.Error(out, "restart conditions are not satisfied", http.StatusServiceUnavailable)
		return
	}
	n.state = "restarting"
	n.world.mutex.Unlock()
	time.Sleep(time.Second)
	n.world.mutex.Lock()
	n.world.restarts = append(n.world.restarts, n.name)
	if n.begin(); n.state != "running" {
		http.Error(out, "restart failed", http.StatusServiceUnavailable)
		return
	}
	n.world.elects(n)
	fmt.Fprint(out, "restarted successfully")
}

// elects is what the leader does next: a node that is back is its synchronous standby, if no other is.
func (w *world) elects(back *node) {
	for _, n := range w.nodes {
		if n.synchronous && n.state == "running" || back.name == w.leader || !w.isSynchronous {
			return
		}
	}
	back.synchronous = true
}

// waits is whether the settings have another value than the one that PostgreSQL runs with.
func (n *node) waits() bool { return n.world.wanted != 0 && n.connections != n.world.wanted }

// begin starts PostgreSQL: a replica with as many connections as the leader has at least.
func (n *node) begin() {
	n.connections = n.world.wanted
	for _, other := range n.world.nodes {
		if n.name != n.world.leader && other.name == n.world.leader {
			n.connections = max(n.connections, other.connections)
		}
	}
	if n.state = "running"; n.most != 0 && n.connections > n.most {
		n.state = "start failed"
	}
}

// wake has the leader look for a synchronous standby.
func (n *node) wake() {
	for _, one := range n.world.nodes {
		if n.name != n.world.leader || one.synchronous && one.state == "running" {
			return
		}
	}
	for _, one := range n.world.nodes {
		one.synchronous = one != n && one.state == "running"
	}
}

// merge is Patroni's patch_config: null removes.
func merge(config, patch map[string]any) {
	for name, value := range patch {
		inner, isMap := value.(map[string]any)
		was, wasMap := config[name].(map[string]any)
		switch {
		case value == nil:
			delete(config, name)
		case isMap && wasMap:
			merge(was, inner)
		default:
			config[name] = value
		}
	}
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(a.pem))
	return pool
}
