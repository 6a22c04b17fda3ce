package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// errNotRoot is what rootLogin returns, wrapped, when etcd refuses each
// password that is known.
var errNotRoot = errors.New("etcd refuses the password of root, and all passwords of root in earlier updates")

// mostPasswords bounds how many passwords are kept: that many changes of it
// in a row may have stopped half-way.
const mostPasswords = 8

// rootLogin logs in as root of a cluster, whose password may be changing. The
// inputs have the new one. A machine sets it, after the first gates of an
// update have passed; and an update may stop in between. So the password in
// force can be the former one, or one of an earlier attempt.
type rootLogin struct {
	wanted    host.EtcdConnection
	before    *host.EtcdConnection
	passwords []string // others than wanted, the latest first
	worked    *host.EtcdConnection
}

// newRootLogin takes the wanted inputs and, from the state before, the inputs
// and what keep returned.
func newRootLogin(wanted host.EtcdConnection, before *host.EtcdConnection, kept []string) *rootLogin {
	r := &rootLogin{wanted: wanted, before: before}
	if before != nil && before.Password != nil {
		kept = slices.Concat([]string{*before.Password}, kept)
	}
	r.passwords = distinct(kept, ptr.Value(wanted.Password))
	return r
}

// do calls a function with a client that is logged in as root. A password that
// worked once is tried first from then on: each wrong one adds an entry to
// etcd's log. All are tried twice: while the old one is tried, the new one may
// come into force.
func (r *rootLogin) do(ctx context.Context, do func(context.Context, *clientv3.Client) error) error {
	var refusal error
	all, left := r.candidates(), leftEndpoints(ctx, r.wanted)
	if len(all) > 1 {
		all = slices.Concat(all, all)
	}
	for _, c := range all {
		at := c
		if len(left) > 0 {
			at.Endpoints = left
		}
		err := With(ctx, at, do)
		if !refused(err) {
			if err == nil {
				r.worked = &c
			}
			return err
		}
		refusal = err
	}
	return fmt.Errorf("%w: %w", errNotRoot, refusal)
}

// candidates are the ways to log in, the likeliest first.
func (r *rootLogin) candidates() (all []host.EtcdConnection) {
	if r.worked != nil {
		all = append(all, *r.worked)
	}
	all = append(all, r.wanted)
	if r.wanted.Username != nil {
		for _, password := range r.passwords {
			c := r.wanted
			c.Password = &password
			all = append(all, c)
		}
	}
	if r.before != nil && r.before.Password == nil { // by certificate
		all = append(all, *r.before)
	}
	return all
}

// keep is what the state keeps for the next update: the passwords that root may
// have besides the wanted one. They are kept whether or not a login succeeded:
// one that was not tried may be in force, and a machine may still set one that
// does not work now.
func (r *rootLogin) keep() []string {
	var all []string
	if r.worked != nil && r.worked.Password != nil {
		all = append(all, *r.worked.Password)
	}
	all = distinct(append(all, r.passwords...), ptr.Value(r.wanted.Password))
	return all[:min(len(all), mostPasswords)]
}

// distinct are the texts, each once, but not the one given as without.
func distinct(texts []string, without string) []string {
	var all []string
	for _, text := range texts {
		if text != without && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// rootPasswords are those that root of a cluster may have besides the wanted
// one, from the states of the gates. Resources that this update creates have no
// state with them, and log in before the wanted one is in force.
type rootPasswords []string

func notePasswords(ctx context.Context, endpoints, passwords []string) {
	running.Note(ctx, strings.Join(endpoints, " "), func(now *rootPasswords) { *now = distinct(append(*now, passwords...), "") })
}

func notedPasswords(ctx context.Context, c host.EtcdConnection) []string {
	noted, _ := running.Noted[rootPasswords](ctx, strings.Join(c.Endpoints, " "))
	return noted
}
