package admin

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
)

// Key is a key of etcd and its value.
type Key struct{}

// KeyArgs are the inputs of a Key. The value is always secret: refresh and
// import cannot know whether it contains a secret.
type KeyArgs struct {
	Etcd  host.EtcdConnection `pulumi:"etcd"`
	Key   string              `pulumi:"key" provider:"replaceOnChanges"`
	Value string              `pulumi:"value" provider:"secret"`
}

// KeyState is what is in etcd, as last written or read.
type KeyState struct {
	Etcd        host.EtcdConnection `pulumi:"etcd"`
	Key         string              `pulumi:"key"`
	Value       string              `pulumi:"value" provider:"secret"`
	ModRevision int                 `pulumi:"modRevision"`
}

func (k KeyState) object() Object { return Object{Kind: "key", Name: k.Key, By: k.Etcd} }

// InProgram notes which key the program has. KeyArgs implements inputs.Noted.
func (a KeyArgs) InProgram(ctx context.Context, before property.Map) {
	Object{Kind: "key", Name: a.Key, By: a.Etcd}.InProgram(ctx, guard.Text(before.Get("key")))
}

// Create writes a key that does not exist. One that was written once, with the
// same value, is taken for one of an update that was killed.
func (Key) Create(ctx context.Context, req infer.CreateRequest[KeyArgs]) (infer.CreateResponse[KeyState], error) {
	k := KeyState{Etcd: req.Inputs.Etcd, Key: req.Inputs.Key, Value: req.Inputs.Value}
	if req.DryRun {
		return infer.CreateResponse[KeyState]{ID: k.Key, Output: k}, nil
	}
	err := With(ctx, k.Etcd, func(ctx context.Context, c *clientv3.Client) error {
		now, err := k.swap(ctx, c, clientv3.OpPut(k.Key, k.Value))
		switch {
		case err != nil || now == nil:
			return err
		case now.there && now.value == k.Value && now.once && k.object().MayAdopt(ctx):
			k.ModRevision = now.revision
			k.object().Adopted(ctx)
			return nil
		}
		return object.Taken("key", "EtcdKey", k.Key)
	})
	if err == nil {
		k.object().Made(ctx)
	}
	return infer.CreateResponse[KeyState]{ID: k.Key, Output: k}, err
}

// Read finds what has become of the key.
func (Key) Read(ctx context.Context, req infer.ReadRequest[KeyArgs, KeyState]) (infer.ReadResponse[KeyArgs, KeyState], error) {
	args, state := req.Inputs, KeyState{}
	args.Key = req.ID
	return refresh(ctx, req.State.object(), &args.Etcd, infer.ReadResponse[KeyArgs, KeyState](req), func(ctx context.Context, c *clientv3.Client) (gone bool, err error) {
		found, err := c.Get(ctx, req.ID)
		if err != nil || len(found.Kvs) == 0 {
			return err == nil, err
		}
		kv := found.Kvs[0]
		if !utf8.Valid(kv.Value) {
			return false, answerError(fmt.Sprintf("the value of %s is not text: it is not UTF-8", req.ID))
		}
		args.Value = string(kv.Value)
		state = KeyState{args.Etcd, args.Key, args.Value, int(kv.ModRevision)}
		return false, nil
	}, func(shown host.EtcdConnection) infer.ReadResponse[KeyArgs, KeyState] {
		args.Etcd = shown
		return infer.ReadResponse[KeyArgs, KeyState]{ID: req.ID, Inputs: args, State: state}
	})
}

// Update writes another value, if the key still has the one last seen.
func (Key) Update(ctx context.Context, req infer.UpdateRequest[KeyArgs, KeyState]) (infer.UpdateResponse[KeyState], error) {
	k := req.State
	k.Etcd, k.Value = req.Inputs.Etcd, req.Inputs.Value
	if req.DryRun || k.Value == req.State.Value {
		return infer.UpdateResponse[KeyState]{Output: k}, nil
	}
	err := With(ctx, k.Etcd, func(ctx context.Context, c *clientv3.Client) error {
		now, err := k.swap(ctx, c, clientv3.OpPut(k.Key, k.Value))
		switch {
		case err != nil || now == nil:
			return err
		case now.there && now.value == k.Value: // an earlier update wrote it and could not say so
			k.ModRevision = now.revision
			return nil
		}
		return k.changedMeanwhile(*now)
	})
	return infer.UpdateResponse[KeyState]{Output: k}, err
}

// Delete deletes the key, if it still has the value last seen.
func (Key) Delete(ctx context.Context, req infer.DeleteRequest[KeyState]) (infer.DeleteResponse, error) {
	k := req.State
	err := Delete(ctx, k.object(), func(ctx context.Context, c *clientv3.Client) error {
		now, err := k.swap(ctx, c, clientv3.OpDelete(k.Key))
		if err == nil && now != nil && now.there {
			err = k.changedMeanwhile(*now)
		}
		return err
	})
	return infer.DeleteResponse{}, err
}

// found is what is there instead of what was seen last.
type found struct {
	there    bool
	value    string
	revision int
	once     bool // written only once, and without a lease
}

// swap does op if the key was last written at the revision known, which is 0
// for a key that is not there. Otherwise it returns what is there.
func (k *KeyState) swap(ctx context.Context, c *clientv3.Client, op clientv3.Op) (*found, error) {
	unchanged := clientv3.Compare(clientv3.ModRevision(k.Key), "=", k.ModRevision)
	answer, err := c.Txn(ctx).If(unchanged).Then(op).Else(clientv3.OpGet(k.Key)).Commit()
	switch {
	case err != nil:
		return nil, fmt.Errorf("write key %s: %w", k.Key, err)
	case answer.Succeeded:
		k.ModRevision = int(answer.Header.Revision)
		return nil, nil
	}
	kvs := answer.Responses[0].GetResponseRange().Kvs
	if len(kvs) == 0 {
		return &found{}, nil
	}
	return &found{true, string(kvs[0].Value), int(kvs[0].ModRevision), kvs[0].Version == 1 && kvs[0].Lease == 0}, nil
}

func (k *KeyState) changedMeanwhile(now found) error {
	what := fmt.Sprintf("changed (revision %d, last seen %d)", now.revision, k.ModRevision)
	if !now.there {
		what = "deleted"
	}
	return fmt.Errorf("someone else has %s the key %s: `pulumi refresh` shows this, and the next update starts from it", what, k.Key)
}
