package zone

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
)

// Zone is a DNS zone that is kept in etcd.
type Zone struct{}

// ZoneState is the state of a DnsZone.
type ZoneState struct {
	ZoneArgs
	Key    string `pulumi:"key"`
	Serial int    `pulumi:"serial"`
	Zone   string `pulumi:"zone"`
}

// state is a zone that is kept with this text.
func (a ZoneArgs) state(serial uint32, text string) ZoneState {
	return ZoneState{ZoneArgs: a, Key: a.key(), Serial: int(serial), Zone: text}
}

// WireDependencies says which outputs a change of an input leaves known in
// preview: with another connection the zone stays as it is.
func (Zone) WireDependencies(f infer.FieldSelector, a *ZoneArgs, s *ZoneState) {
	f.OutputField(&s.Key).DependsOn(f.InputField(&a.KeyPrefix).Computed(), f.InputField(&a.Domain).Computed())
	for _, output := range []any{&s.Serial, &s.Zone} {
		for _, input := range []any{&a.Domain, &a.ZoneFile, &a.Nameservers, &a.Hostmaster, &a.TTL, &a.SOA, &a.Records} {
			f.OutputField(output).DependsOn(f.InputField(input).Computed())
		}
	}
}

func (s ZoneState) object() admin.Object {
	return admin.Object{Kind: "zone", Name: s.Key, By: s.Etcd}
}

// InProgram notes which zone the program has. ZoneArgs implements inputs.Noted.
func (a ZoneArgs) InProgram(ctx context.Context, before property.Map) {
	var key string
	if prefix, domain := before.Get("keyPrefix"), before.Get("domain"); prefix.IsString() && domain.IsString() {
		key = prefix.AsString() + domain.AsString()
	}
	a.state(0, "").object().InProgram(ctx, key)
}

// Create keeps the zone in etcd, unless there is one already. One that was
// written once, and differs in no more than its serial, is what an update made
// that was killed.
func (Zone) Create(ctx context.Context, req infer.CreateRequest[ZoneArgs]) (resp infer.CreateResponse[ZoneState], err error) {
	a := req.Inputs
	if resp = (infer.CreateResponse[ZoneState]{ID: a.key(), Output: a.state(0, "")}); req.DryRun {
		return resp, nil
	}
	serial, text, err := a.made(ZoneState{})
	if err != nil {
		return resp, err
	}
	resp.Output = a.state(serial, text)
	err = admin.With(ctx, a.Etcd, func(ctx context.Context, client *clientv3.Client) error {
		done, err := client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(a.key()), "=", 0)).
			Then(clientv3.OpPut(a.key(), text)).Else(clientv3.OpGet(a.key())).Commit()
		if err != nil || done.Succeeded {
			return err
		}
		there := "a value that is not a zone"
		for _, kv := range done.Responses[0].GetResponseRange().Kvs {
			if c := kept(string(kv.Value), a.Domain); c.soa != nil {
				if made := a.state(c.soa.Serial, string(kv.Value)); kv.Version == 1 && kv.Lease == 0 && a.wants(made) && made.object().MayAdopt(ctx) {
					made.object().Adopted(ctx)
					resp.Output = made
					return nil
				}
				there = fmt.Sprintf("a zone with serial %d and %d records", c.soa.Serial, len(c.records)+1)
			}
		}
		return fmt.Errorf("%s already exists in etcd: %s. To manage it here, `pulumi import quorum:index:DnsZone %s %[1]s`; to discard it, `etcdctl del %[1]s`",
			a.key(), there, req.Name)
	})
	if err == nil {
		resp.Output.object().Made(ctx)
	}
	return resp, err
}

// wants reports whether a zone that is kept is as it would be made.
func (a ZoneArgs) wants(made ZoneState) bool {
	_, text, err := a.made(made)
	return err == nil && text == made.Zone
}

// made is the zone that follows the last one. If nothing but its serial would
// change, it stays.
func (a ZoneArgs) made(last ZoneState) (serial uint32, text string, err error) {
	c, problems := a.content()
	if len(problems) > 0 {
		return 0, "", errors.New(problems[0].String()) // Check has reported all
	}
	previous := uint32(last.Serial)
	if c.same(kept(last.Zone, a.Domain)) && (c.soa.Serial == 0 || !after(c.soa.Serial, previous)) {
		return previous, last.Zone, nil
	}
	serial = next(previous, c.soa.Serial, time.Now())
	return serial, c.text(serial), nil
}

// Update replaces the zone, if it is still what it was.
func (Zone) Update(ctx context.Context, req infer.UpdateRequest[ZoneArgs, ZoneState]) (resp infer.UpdateResponse[ZoneState], err error) {
	a, old := req.Inputs, req.State
	if req.DryRun {
		resp.Output = a.state(uint32(old.Serial), old.Zone)
		return resp, nil
	}
	serial, text, err := a.made(old)
	if err != nil {
		return resp, err
	}
	resp.Output = a.state(serial, text)
	if text == old.Zone {
		return resp, nil
	}
	return resp, admin.With(ctx, a.Etcd, func(ctx context.Context, client *clientv3.Client) error {
		found, err := client.Get(ctx, a.key())
		if err != nil {
			return err
		}
		if len(found.Kvs) == 0 || string(found.Kvs[0].Value) != old.Zone {
			return changed(a.key())
		}
		done, err := client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(a.key()), "=", found.Kvs[0].ModRevision)).
			Then(clientv3.OpPut(a.key(), text)).Commit()
		if err == nil && !done.Succeeded {
			return changed(a.key())
		}
		return err
	})
}

// Delete deletes the zone, if it is still what it was.
func (Zone) Delete(ctx context.Context, req infer.DeleteRequest[ZoneState]) (resp infer.DeleteResponse, err error) {
	z := req.State
	return resp, admin.Delete(ctx, z.object(), func(ctx context.Context, client *clientv3.Client) error {
		done, err := client.Txn(ctx).If(clientv3.Compare(clientv3.Value(z.Key), "=", z.Zone)).
			Then(clientv3.OpDelete(z.Key)).Else(clientv3.OpGet(z.Key, clientv3.WithKeysOnly())).Commit()
		if err == nil && !done.Succeeded && len(done.Responses[0].GetResponseRange().Kvs) > 0 {
			err = changed(z.Key)
		}
		return err
	})
}

// changed says that what is in etcd is not what was written there.
func changed(key string) error {
	return fmt.Errorf("%s was changed in etcd by someone else: `pulumi refresh` shows the change, and the next `pulumi up` starts from it", key)
}
