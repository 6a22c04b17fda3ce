package fleet

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
)

// Exporter is a machine's node exporter, as far as it says what quorum-apply did, and quorum-backup.
type Exporter struct {
	// Frozen has it not answer.
	Frozen atomic.Bool

	metric  atomic.Value
	backups atomic.Pointer[string]
	server  *http.Server
}

// Tell has it tell of a generation of the state.
func (e *Exporter) Tell(generation, outcome, reason string) {
	if reason != "" {
		reason = fmt.Sprintf(",reason=%q", reason)
	}
	e.metric.Store(fmt.Sprintf("quorum_apply_info{generation=%q,outcome=%q%s} 1\n", generation, outcome, reason))
}

// Serve has it listen at a machine's address.
func (e *Exporter) Serve(ip string) error {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort(ip, "9100"))
	if err != nil {
		return err
	}
	e.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.Frozen.Load() {
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, e.metric.Load())
		if backups := e.backups.Load(); backups != nil {
			fmt.Fprint(w, *backups)
		}
	})}
	go func() { _ = e.server.Serve(listener) }()
	return nil
}

// Close ends it, if it serves.
func (e *Exporter) Close() {
	if e.server != nil {
		_ = e.server.Close()
	}
}
