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

// rootLogin is root of a cluster whose password may be changing. The inputs
// say what it is to be. It comes into force on a machine, later than the first
// gates of an update pass; and an update may stop in between, so that the
// password in force can be the one before, or one of an attempt before that.
type rootLogin struct {
	wanted    host.EtcdConnection
	before    *host.EtcdConnection
	passwords []string // others than wanted, the latest first
	worked    *host.EtcdConnection
}

// newRootLogin is for inputs, with what the state before has: the inputs of
// then, and what keep said.
func newRootLogin(wanted host.EtcdConnection, before *host.EtcdConnection, kept []string) *rootLogin {
	r := &rootLogin{wanted: wanted, before: before}
	if before != nil && before.Password != nil {
		kept = slices.Concat([]string{*before.Password}, kept)
	}
	r.passwords = distinct(kept, ptr.Value(wanted.Password))
	return r
}

// do calls a function with a client who is root. A password that worked once
// is tried first from then on: each one that is wrong is an entry in etcd's log.
// All are tried twice: while the old one is tried, the new one may come into force.
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

// keep is what the next update needs to know, for the state: the passwords
// that root may have beside the one wanted. It goes there whether or not
// somebody logged in: what has not been tried may still be in force. One that
// does not work is kept too: a machine may yet bring it into force.
func (r *rootLogin) keep() []string {
	var all []string
	if r.worked != nil && r.worked.Password != nil {
		all = append(all, *r.worked.Password)
	}
	all = distinct(append(all, r.passwords...), ptr.Value(r.wanted.Password))
	return all[:min(len(all), mostPasswords)]
}

// distinct are texts, each once, without one of them.
func distinct(texts []string, without string) []string {
	var all []string
	for _, text := range texts {
		if text != without && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// rootPasswords are those that root of a cluster may have besides the one that is
// wanted, as the gates that were there before know. What is made in this update
// has no state that does, and comes before the one wanted is in force.
type rootPasswords []string

func notePasswords(ctx context.Context, endpoints, passwords []string) {
	running.Note(ctx, strings.Join(endpoints, " "), func(now *rootPasswords) { *now = distinct(append(*now, passwords...), "") })
}

func notedPasswords(ctx context.Context, c host.EtcdConnection) []string {
	noted, _ := running.Noted[rootPasswords](ctx, strings.Join(c.Endpoints, " "))
	return noted
}
