package admin

import (
	"context"
	"fmt"
	"net/url"

	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Read finds out whether the member is still in the cluster. If the cluster
// does not answer, or refuses the login, that is no error: a refresh that
// failed would end the update that repairs it.
func (Member) Read(ctx context.Context, req infer.ReadRequest[MemberArgs, MemberState]) (infer.ReadResponse[MemberArgs, MemberState], error) {
	args, imported, gone, id, seen := req.Inputs, req.Inputs.IP == "", false, req.State.MemberID, ""
	args.Name = req.ID
	var known []string
	if !imported {
		known = append(known, args.IP)
	}
	shown, err := orFromEnvironment(&args.Etcd)
	if err == nil {
		err = newRootLogin(args.Etcd, nil, req.State.RootPasswords).do(ctx, func(ctx context.Context, client *clientv3.Client) error {
			v, err := lookAgain(ctx, client, args, known...)
			if err != nil {
				return err
			}
			m := v.find(args.Name, args.IP)
			if gone = m == nil; gone {
				return nil
			}
			id, seen = fmt.Sprintf("%x", m.ID), v.wrong(args.Name, args.IP)
			if imported {
				peer, err := url.Parse(first(m.PeerURLs))
				args.IP = peer.Hostname()
				return err
			}
			return nil
		})
	}
	switch {
	case err == nil || imported:
	case notNow(err):
		seen, err = "the cluster does not answer", nil
	default:
		Object{Kind: "member", Name: args.Name, By: args.Etcd}.Unread(ctx, err)
		seen, err = "the cluster could not be asked", nil
	}
	if gone || err != nil {
		return infer.ReadResponse[MemberArgs, MemberState]{}, err
	}
	if !imported && !ptr.Value(args.SkipHealthChecks) {
		args.Triggers = wait.Seen(args.Triggers, seen)
	}
	state := MemberState{MemberArgs: args, MemberID: id, RootPasswords: req.State.RootPasswords}
	args.Etcd = shown
	return infer.ReadResponse[MemberArgs, MemberState]{ID: req.ID, Inputs: args, State: state}, nil
}

// lookAgain looks until nothing is wrong with the member, or something was for
// a while.
func lookAgain(ctx context.Context, client *clientv3.Client, a MemberArgs, ips ...string) (v view, err error) {
	wait.Again(ctx, func() bool {
		v, err = look(ctx, client, a.Etcd, ips...)
		return err == nil && v.wrong(a.Name, a.IP) != ""
	})
	return v, err
}
