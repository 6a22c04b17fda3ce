package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// server answers the engine.
type server struct {
	schema   *packageSchema
	world    hypervisor.World
	host     string // libvirt URI
	delay    time.Duration
	machines *machines // nil unless they really boot
}

// kind is what distinguishes the resources from each other.
type kind struct {
	named    bool  // gets a name when the program gives none
	defaults props // what the provider itself fills in
	create   func(*server, call) (id string, computed props, err error)
	update   func(*server, call) error
	remove   func(*server, call) error
	exists   func(*server, call) (bool, error) // nil: it always does
	outdated func(*server, call) (key string, err error)
	seen     func(*server, call) props // what is not as it was left
}

// call is one operation on one resource.
type call struct {
	id        string
	typ, name string
	props     props
	state     props // as it was before
}

// callOf names a resource as its host does, or by its URN.
func callOf(urn resource.URN, id string, inputs property.Map) (call, kind, error) {
	c := call{id: id, typ: string(urn.Type()), name: urn.Name()}
	k, ok := libvirtKinds[c.typ]
	if !ok {
		if k, ok = tlsKinds[c.typ]; !ok {
			return c, k, fmt.Errorf("the fake plugin has no resource %q", c.typ)
		}
	}
	c.props = k.complete(plain(inputs))
	if name := c.props.text("name"); name != "" {
		c.name = name
	}
	return c, k, nil
}

// complete adds the defaults. They are not among the inputs that the engine
// keeps, so they must count on both sides of a comparison.
func (k kind) complete(given props) props {
	all := maps.Clone(k.defaults)
	if all == nil {
		all = props{}
	}
	maps.Copy(all, given)
	return all
}

func (s *server) provider() p.Provider {
	return p.Provider{
		GetSchema: func(context.Context, p.GetSchemaRequest) (p.GetSchemaResponse, error) {
			return p.GetSchemaResponse{Schema: s.schema.text}, nil
		},
		CheckConfig: func(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
			return p.CheckResponse{Inputs: req.Inputs}, nil
		},
		DiffConfig: s.diffConfig,
		Configure:  s.configure,
		Check:      there(s, s.check),
		Diff:       there(s, s.diff),
		Create:     there(s, s.create),
		Read:       there(s, s.read),
		Update:     there(s, s.update),
		Delete: func(ctx context.Context, req p.DeleteRequest) error {
			_, err := there(s, func(ctx context.Context, req p.DeleteRequest) (any, error) { return nil, s.delete(ctx, req) })(ctx, req)
			return err
		},
	}
}

// there does what is asked, unless the host is gone: the real plugin can then not even
// check what a program wants there.
func there[Q, A any](s *server, do func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	return func(ctx context.Context, req Q) (answer A, err error) {
		if s.schema.Name == "libvirt" && s.world.Lost(s.host) {
			return answer, errors.New("failed to connect: dial tcp: connect: no route to host")
		}
		return do(ctx, req)
	}
}

func (s *server) configure(_ context.Context, req p.ConfigureRequest) error {
	if uri, ok := req.Args.GetOk("uri"); ok && uri.IsString() && s.schema.Name == "libvirt" {
		s.host = uri.AsString()
	}
	return nil
}

// diffConfig answers as the real plugins do: another URI does not replace the
// provider, and so nothing on the old host is replaced either.
func (s *server) diffConfig(_ context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	diff := map[string]p.PropertyDiff{}
	for _, key := range changed(plain(req.OldInputs), plain(req.Inputs)) {
		diff[key] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
	}
	return p.DiffResponse{HasChanges: len(diff) > 0, DetailedDiff: diff}, nil
}

func (s *server) check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	c, k, err := callOf(req.Urn, "", req.Inputs)
	if err != nil {
		return p.CheckResponse{}, err
	}
	inputs := req.Inputs
	if k.named && !c.props.has("name") {
		name, err := autoName(req)
		if err != nil {
			return p.CheckResponse{}, err
		}
		inputs = inputs.Set("name", property.New(name))
	}
	var failures []p.CheckFailure
	problems := s.schema.problems(c.typ, plain(inputs))
	for _, key := range sorted(problems) {
		failures = append(failures, p.CheckFailure{Property: key, Reason: problems[key]})
	}
	return p.CheckResponse{Inputs: inputs, Failures: failures}, nil
}

// autoName keeps the name that an earlier check gave, but none that was given.
func autoName(req p.CheckRequest) (string, error) {
	prefix := req.Urn.Name() + "-"
	if name, ok := req.State.GetOk("name"); ok && name.IsString() && strings.HasPrefix(name.AsString(), prefix) {
		return name.AsString(), nil
	}
	return resource.NewUniqueName(req.RandomSeed, prefix, 7, 255, nil)
}

func (s *server) diff(_ context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	c, k, err := callOf(req.Urn, req.ID, req.Inputs)
	if err != nil {
		return p.DiffResponse{}, err
	}
	c.state = plain(req.State)
	if err := tooSmall(c); err != nil {
		return p.DiffResponse{}, err
	}
	diff := map[string]p.PropertyDiff{}
	for _, key := range changed(k.complete(plain(req.OldInputs)), c.props) {
		if slices.Contains(req.IgnoreChanges, key) {
			continue
		}
		change := p.Update
		if s.schema.replaces(c.typ, key) && !grown(c, key) {
			change = p.UpdateReplace
		}
		diff[key] = p.PropertyDiff{Kind: change, InputDiff: true}
	}
	if k.outdated != nil {
		key, err := k.outdated(s, c)
		if err != nil {
			return p.DiffResponse{}, err
		}
		if key != "" {
			diff[key] = p.PropertyDiff{Kind: p.UpdateReplace}
		}
	}
	return p.DiffResponse{HasChanges: len(diff) > 0, DetailedDiff: diff}, nil
}
