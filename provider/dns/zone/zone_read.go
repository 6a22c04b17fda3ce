package zone

import (
	"context"
	"fmt"
	"path"

	"github.com/pulumi/pulumi-go-provider/infer"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
)

// Read finds what others have made of the zone.
func (Zone) Read(ctx context.Context, req infer.ReadRequest[ZoneArgs, ZoneState]) (infer.ReadResponse[ZoneArgs, ZoneState], error) {
	resp := infer.ReadResponse[ZoneArgs, ZoneState](req)
	a, imported := req.Inputs, req.State.Key == ""
	if imported {
		var err error
		if a, err = inputsOf(req.ID); err != nil {
			return resp, err
		}
	}
	var text *string
	err := admin.ForRefresh(ctx, a.Etcd, func(ctx context.Context, client *clientv3.Client) error {
		found, err := client.Get(ctx, req.ID)
		if err == nil && len(found.Kvs) > 0 {
			value := string(found.Kvs[0].Value)
			text = &value
		}
		return err
	})
	switch {
	case err != nil && imported:
		return resp, err
	case err != nil:
		req.State.object().Unread(ctx, err)
		return resp, nil
	case text == nil:
		return infer.ReadResponse[ZoneArgs, ZoneState]{}, nil
	case *text == req.State.Zone:
		return resp, nil
	}
	// What is there now is shown as a file: the records it had are no longer true.
	a.ZoneFile, a.Nameservers, a.Hostmaster, a.TTL, a.SOA, a.Records = text, nil, nil, nil, nil, nil
	serial := uint32(req.State.Serial)
	if c := kept(*text, a.Domain); c.soa != nil {
		serial = c.soa.Serial
	} else if imported {
		return resp, fmt.Errorf("%s does not hold a zone of %s that can be imported", req.ID, a.Domain)
	}
	resp.State = a.state(serial, *text)
	if resp.Inputs = a; imported { // they become a program, in clear
		resp.Inputs.Etcd = admin.Shown(a.Etcd)
	}
	return resp, nil
}

// inputsOf are those of a zone that is imported by its key.
func inputsOf(key string) (ZoneArgs, error) {
	prefix, domain := path.Split(key)
	connection, err := admin.FromEnvironment()
	return ZoneArgs{Etcd: connection, KeyPrefix: &prefix, Domain: domain}, err
}
