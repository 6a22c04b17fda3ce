package health

import (
	"context"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// places are a real source, and a standby that is seen to have what a test says.
type places struct {
	*testing.T
	pg     *localpostgres.Server
	source admin.Connection
	system string
	ready  string // what keeps the standby from being promoted
}

func newPlaces(t *testing.T) *places {
	t.Helper()
	pg, password := localpostgres.Start(t), localpostgres.Password
	return &places{
		T: t, pg: pg, source: admin.Connection{Endpoints: []string{pg.Endpoint()}, CACert: pg.CACert(), Password: &password},
		system: pg.SQL("postgres", "SELECT system_identifier FROM pg_control_system()"),
	}
}

func (p *places) handover() *handover { return &handover{source: &p.source, asks: true} }

func (p *places) away() *admin.Connection {
	away := p.source
	away.Endpoints = []string{"127.0.0.1:1"}
	return &away
}

// refuses reports whether the source does.
func (p *places) refuses() bool {
	return p.pg.SQL("postgres", "SHOW default_transaction_read_only") == "on"
}

// standby streams, and has WAL up to somewhere.
func (p *places) standby(has int64, change func(*answer)) view {
	a := answer{status: status{State: running, Role: leadsStandby, Timeline: 1, SystemID: p.system, ReplicationState: streaming}}
	if a.Xlog.ReceivedLocation = has; change != nil {
		change(&a)
	}
	return view{answers: map[string]answer{"a": a}, cluster: &cluster{Members: []member{{Name: "a", Role: leadsStandby}}}}
}

func silentStandby(a *answer) { a.ReplicationState = "" }

// lacks looks once, and requires something to be missing.
func (p *places) lacks(h *handover, v view, text string) {
	p.Helper()
	missing, err := h.hasAll(p.Context(), v, func(context.Context, view) string { return p.ready })
	require.NoError(p, err)
	require.Contains(p, missing, text)
	require.NotEmpty(p, missing)
}

// fails looks once, and requires an error.
func (p *places) fails(h *handover, v view, text string) {
	p.Helper()
	_, err := h.hasAll(p.Context(), v, func(context.Context, view) string { return p.ready })
	require.ErrorContains(p, err, text)
}

// promotes looks once, and requires nothing to be missing.
func (p *places) promotes(h *handover, v view) {
	p.Helper()
	missing, err := h.hasAll(p.Context(), v, func(context.Context, view) string { return p.ready })
	require.NoError(p, err)
	require.Empty(p, missing)
}

// fenced is a handover whose source refuses writes.
func (p *places) fenced() *handover {
	p.Helper()
	h := p.handover()
	p.lacks(h, p.standby(1, nil), "it is asked to refuse writes when the standby follows")
	p.lacks(h, p.standby(h.mark, nil), "yet to come")
	require.True(p, p.refuses())
	return h
}

// state is that of a standby.
func (p *places) state() property.Map {
	return property.NewMap(map[string]property.Value{"source": property.New(map[string]property.Value{
		"endpoints": property.New([]property.Value{property.New(p.pg.Endpoint())}), "caCert": property.New(p.source.CACert),
		"password": property.New(*p.source.Password).WithSecret(true),
	})})
}

func ago(d time.Duration) time.Time { return time.Now().Add(-d - time.Second) }
