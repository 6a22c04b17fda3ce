package admin

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// gateState is what a gate keeps of the password of root.
type gateState struct {
	etcd host.EtcdConnection
	kept []string
}

// rootWorld is an etcd whose root gets passwords by way of a machine, later
// than a gate hears of them.
type rootWorld struct {
	t    *testing.T
	etcd embedetcd.Etcd
	root *clientv3.Client
}

func newRootWorld(t *testing.T) rootWorld {
	t.Helper()
	etcd := embedetcd.Start(t, false)
	return rootWorld{t, etcd, etcd.Root(t)}
}

func (w rootWorld) connection(password string) host.EtcdConnection {
	c := w.etcd.Connection(w.t)
	c.Password = &password
	return c
}

// machineSets is what etcd-auth does on the machine.
func (w *rootWorld) machineSets(password string) {
	w.t.Helper()
	_, err := w.root.UserChangePassword(w.t.Context(), "root", password)
	require.NoError(w.t, err)
	w.root = w.etcd.Client(w.t, "root", password)
}

// gate passes with another password in its inputs, and wants to log in unless
// it does not ask etcd this time.
func (w rootWorld) gate(before *gateState, password string, asks bool) *gateState {
	w.t.Helper()
	r := newRootLogin(w.connection(password), &before.etcd, before.kept)
	if asks {
		require.NoError(w.t, r.do(w.t.Context(), func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.UserGet(ctx, "root")
			return err
		}))
	}
	return &gateState{r.wanted, r.keep()}
}

// TestRootPasswordHalfChanged has updates stop before the machine has brought
// the new password into force, or after that, in any order, and be followed by
// others.
func TestRootPasswordHalfChanged(t *testing.T) {
	t.Parallel()
	const a = embedetcd.RootPassword
	type step struct {
		wants    string
		machine  string // sets this one afterwards, if any
		silently bool   // the gate does not ask
	}
	for name, steps := range map[string][]step{
		"nothing came into force":                {{wants: "b"}, {wants: "b"}, {wants: "b"}},
		"then another one":                       {{wants: "b"}, {wants: "c"}, {wants: "d"}, {wants: "d"}},
		"the one in between is in force":         {{wants: "b", machine: "b"}, {wants: "c"}, {wants: "d"}, {wants: "e"}},
		"changed back before it came":            {{wants: "b"}, {wants: a}, {wants: a, machine: "b"}, {wants: a}, {wants: "c"}},
		"changed back after it came":             {{wants: "b", machine: "b"}, {wants: a}, {wants: "b"}, {wants: a}},
		"a gate that asks seldom":                {{wants: "b", silently: true, machine: "b"}, {wants: "c", silently: true}, {wants: "d"}},
		"a gate that asks seldom, old one stays": {{wants: "b", silently: true}, {wants: "c", silently: true}, {wants: "d"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRootWorld(t)
			state := &gateState{etcd: w.connection(a)}
			for _, s := range steps {
				state = w.gate(state, s.wants, !s.silently)
				if s.machine != "" {
					w.machineSets(s.machine)
				}
			}
			w.gate(state, "the last", true)
		})
	}
}

// TestRootPasswordChangesWhileAGateWaits has the machine bring the password
// into force between two looks of one gate.
func TestRootPasswordChangesWhileAGateWaits(t *testing.T) {
	t.Parallel()
	w := newRootWorld(t)
	before := w.connection(embedetcd.RootPassword)
	r := newRootLogin(w.connection("b"), &before, nil)
	look := func(ctx context.Context, c *clientv3.Client) error { _, err := c.MemberList(ctx); return err }
	require.NoError(t, r.do(t.Context(), look))
	assert.Equal(t, []string{embedetcd.RootPassword}, r.keep())
	w.machineSets("b")
	require.NoError(t, r.do(t.Context(), look))
	assert.Equal(t, []string{embedetcd.RootPassword}, r.keep(), "it may come back: nobody knows what the machine does next")
}

// TestRootPasswordChangesWhileItIsTried has each way to log in be refused once:
// the new one since it comes into force just after that, and then the old one.
func TestRootPasswordChangesWhileItIsTried(t *testing.T) {
	t.Parallel()
	ca, err := os.ReadFile("../../testdata/pki/ca.crt")
	require.NoError(t, err)
	as := func(endpoint string) host.EtcdConnection {
		return host.EtcdConnection{Endpoints: []string{endpoint}, CACert: string(ca)}
	}
	before := as("127.0.0.1:2")
	r := newRootLogin(as("127.0.0.1:1"), &before, nil)
	var tried []string
	require.NoError(t, r.do(t.Context(), func(_ context.Context, c *clientv3.Client) error {
		if tried = append(tried, c.Endpoints()...); len(tried) <= 2 {
			return rpctypes.ErrAuthFailed
		}
		return nil
	}))
	assert.Equal(t, []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:1"}, tried)
}

func TestRootPasswordIsUnknown(t *testing.T) {
	t.Parallel()
	w := newRootWorld(t)
	w.machineSets("secret of somebody else")
	before := w.connection(embedetcd.RootPassword)
	r := newRootLogin(w.connection("secret b"), &before, []string{"secret c"})
	err := r.do(t.Context(), func(context.Context, *clientv3.Client) error { return nil })
	require.ErrorIs(t, err, errNotRoot)
	assert.NotContains(t, err.Error(), "secret")
	assert.Equal(t, []string{embedetcd.RootPassword, "secret c"}, r.keep())
}

// TestRootPasswordsKept requires what is kept to be bounded, and nothing where
// the password has never changed.
func TestRootPasswordsKept(t *testing.T) {
	t.Parallel()
	with := func(password string) host.EtcdConnection { return host.EtcdConnection{Password: &password} }
	before := with("a")
	assert.Empty(t, newRootLogin(with("a"), nil, nil).keep())
	assert.Empty(t, newRootLogin(with("a"), &before, nil).keep())
	cert := host.EtcdConnection{}
	assert.Empty(t, newRootLogin(cert, &cert, nil).keep())
	var kept []string
	for i := range 20 {
		before := with(fmt.Sprint(i))
		kept = newRootLogin(with(fmt.Sprint(i+1)), &before, kept).keep()
	}
	assert.Equal(t, []string{"19", "18", "17", "16", "15", "14", "13", "12"}, kept)
}
