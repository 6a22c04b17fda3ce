package etcd

import (
	"context"
	"fmt"
	"net/url"

	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Read finds out whether the member is still one. A cluster that does not
// answer says nothing about that.
func (Member) Read(ctx context.Context, req infer.ReadRequest[MemberArgs, MemberState]) (infer.ReadResponse[MemberArgs, MemberState], error) {
	args, imported, gone, id := req.Inputs, req.Inputs.IP == "", false, req.State.MemberID
	args.Name = req.ID
	shown, err := orFromEnvironment(&args.Etcd)
	if err == nil {
		err = With(ctx, args.Etcd, func(ctx context.Context, client *clientv3.Client) error {
			v, err := look(ctx, client)
			if err != nil {
				return err
			}
			m := v.find(args.Name, args.IP)
			if gone = m == nil; gone {
				return nil
			}
			id = fmt.Sprintf("%x", m.ID)
			if imported {
				peer, err := url.Parse(first(m.PeerURLs))
				args.IP = peer.Hostname()
				return err
			}
			return nil
		})
	}
	if notNow(err) && !imported {
		err = nil
	}
	if gone || err != nil {
		return infer.ReadResponse[MemberArgs, MemberState]{}, err
	}
	state := MemberState{MemberArgs: args, MemberID: id}
	args.Etcd = shown
	return infer.ReadResponse[MemberArgs, MemberState]{ID: req.ID, Inputs: args, State: state}, nil
}
