package main

import (
	"context"
	"errors"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

func (s *server) create(_ context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	c, k, err := callOf(req.Urn, "", req.Properties)
	if err != nil {
		return p.CreateResponse{}, err
	}
	if req.DryRun {
		return p.CreateResponse{Properties: s.planned(c, req.Properties)}, nil
	}
	var computed props
	var id string
	err = s.logged("create", "", c, func() error {
		id, computed, err = k.create(s, c)
		return err
	})
	if err != nil {
		return p.CreateResponse{}, err
	}
	return p.CreateResponse{ID: id, Properties: s.outputs(c, req.Properties, computed)}, nil
}

func (s *server) update(_ context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	c, k, err := callOf(req.Urn, req.ID, req.Inputs)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	c.state = plain(req.State)
	outputs := updated(req, k.defaults)
	if req.DryRun {
		return p.UpdateResponse{Properties: outputs}, nil
	}
	err = s.logged("update", strings.Join(changed(k.complete(plain(req.OldInputs)), c.props), ","), c, func() error {
		if k.update == nil {
			return nil
		}
		return k.update(s, c)
	})
	return p.UpdateResponse{Properties: outputs}, err
}

// updated is the state with the changes of the inputs; what the provider has
// computed beside an input that did not change stays.
func updated(req p.UpdateRequest, defaults props) property.Map {
	outputs := req.State
	for key, value := range req.Inputs.All {
		if old, ok := req.OldInputs.GetOk(key); !ok || !old.Equals(value) {
			outputs = outputs.Set(key, value)
		}
	}
	for key := range req.OldInputs.All {
		if _, ok := req.Inputs.GetOk(key); ok {
			continue
		}
		if value, ok := defaults[key]; ok {
			outputs = outputs.Set(key, toValue(value))
		} else {
			outputs = outputs.Delete(key)
		}
	}
	return outputs
}

func (s *server) delete(_ context.Context, req p.DeleteRequest) error {
	c, k, err := callOf(req.Urn, req.ID, req.Properties)
	if err != nil {
		return err
	}
	return s.logged("delete", "", c, func() error {
		if k.remove == nil {
			return nil
		}
		return k.remove(s, c)
	})
}

func (s *server) read(_ context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	c, k, err := callOf(req.Urn, req.ID, req.Properties)
	if err != nil {
		return p.ReadResponse{}, err
	}
	if err := s.world.Injected("read", shortName(c.typ), c.name); err != nil {
		return p.ReadResponse{}, err
	}
	if k.exists != nil {
		exists, err := k.exists(s, c)
		if err != nil || !exists {
			return p.ReadResponse{}, err
		}
	}
	found := p.ReadResponse{ID: req.ID, Properties: req.Properties, Inputs: req.Inputs}
	if k.seen != nil {
		for key, value := range k.seen(s, c) {
			found.Properties, found.Inputs = found.Properties.Set(key, toValue(value)), found.Inputs.Set(key, toValue(value))
		}
	}
	return found, nil
}

// errGone is of a thing that was to be deleted and is not there, which the plugin of this project takes for
// deleted.
var errGone = errors.New("it is gone")

// logged does an operation, or lets it fail if a test says so.
func (s *server) logged(op, note string, c call, do func() error) error {
	event := hypervisor.Event{Op: op, Type: shortName(c.typ), Name: c.name, Note: note}
	if s.schema.Name == "libvirt" {
		event.Host = s.host
	}
	event.Phase = "begin"
	if err := s.world.Log(event); err != nil {
		return err
	}
	time.Sleep(s.delay)
	err := s.world.Injected(op, event.Type, c.name)
	if err == nil {
		err = do()
	}
	switch {
	case err == nil:
		event.Phase = "end"
	case errors.Is(err, errGone):
		event.Phase, err = "gone", nil
	case errors.Is(err, hypervisor.ErrExists):
		event.Phase, event.Note = "collision", err.Error()
	default:
		event.Phase, event.Note = "failed", err.Error()
	}
	return errors.Join(err, s.world.Log(event))
}

// planned are the outputs in a preview: what is not given is unknown.
func (s *server) planned(c call, inputs property.Map) property.Map {
	outputs := s.outputs(c, inputs, nil)
	for key := range s.schema.Resources[c.typ].Properties {
		if _, ok := outputs.GetOk(key); !ok {
			outputs = outputs.Set(key, property.New(property.Computed))
		}
	}
	return outputs
}

// outputs are the inputs, the defaults and what the provider computes, secret
// where its schema says so.
func (s *server) outputs(c call, inputs property.Map, computed props) property.Map {
	outputs := inputs
	for key, value := range c.props {
		if _, ok := outputs.GetOk(key); !ok {
			outputs = outputs.Set(key, toValue(value))
		}
	}
	for key, value := range computed {
		outputs = outputs.Set(key, toValue(value))
	}
	for key, schema := range s.schema.Resources[c.typ].Properties {
		if value, ok := outputs.GetOk(key); ok && schema.Secret {
			outputs = outputs.Set(key, value.WithSecret(true))
		}
	}
	return outputs
}
