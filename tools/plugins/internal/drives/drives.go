// Package drives keeps the user data of cloud-init drives out of the state, which has only a hash of
// them: those of a machine are tens of kilobytes, twice in each of its states, and the state is written
// anew after each step.
//
// The engine keeps what a check answers, and gives it to the plugin that makes the drive, which is the
// same process: there the text is remembered.
package drives

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
)

const (
	drive    = "libvirt:index/cloudInitDisk:CloudInitDisk"
	userData = resource.PropertyKey("userData")
	prefix   = "sha256:"
)

// Short is a plugin whose drives are short in the state.
func Short(server pulumirpc.ResourceProviderServer) pulumirpc.ResourceProviderServer {
	return &short{ResourceProviderServer: server}
}

type short struct {
	pulumirpc.ResourceProviderServer
	texts sync.Map // by their hashes
}

// Check answers with the hash.
func (s *short) Check(ctx context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	answer, err := s.ResourceProviderServer.Check(ctx, req)
	if err == nil && isDrive(req.GetUrn()) {
		err = in(func(text string) (string, error) {
			hash, err := hash(text)
			if hash != text {
				s.texts.Store(hash, text)
			}
			return hash, err
		}, &answer.Inputs)
	}
	return answer, err
}

// Diff compares hashes: states of the published plugin have texts.
func (s *short) Diff(ctx context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	if isDrive(req.GetUrn()) {
		if err := in(hash, &req.Olds, &req.OldInputs, &req.News); err != nil {
			return nil, err
		}
	}
	return s.ResourceProviderServer.Diff(ctx, req)
}

// Create makes the drive of the text.
func (s *short) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	if !isDrive(req.GetUrn()) {
		return s.ResourceProviderServer.Create(ctx, req)
	}
	if err := in(s.text, &req.Properties); err != nil {
		return nil, err
	}
	answer, err := s.ResourceProviderServer.Create(ctx, req)
	if err == nil {
		err = in(hash, &answer.Properties)
	}
	return answer, err
}

// Read answers as the state has it: that a plugin keeps it in another way is no change of the drive.
func (s *short) Read(ctx context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	answer, err := s.ResourceProviderServer.Read(ctx, req)
	if err != nil || !isDrive(req.GetUrn()) {
		return answer, err
	}
	for before, now := range map[*structpb.Struct]**structpb.Struct{req.GetProperties(): &answer.Properties, req.GetInputs(): &answer.Inputs} {
		whole := false
		look := func(text string) (string, error) { whole = !strings.HasPrefix(text, prefix); return text, nil }
		if err := in(look, &before); err != nil {
			return nil, err
		}
		if whole {
			continue
		}
		if err := in(hash, now); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func isDrive(urn string) bool { return resource.URN(urn).Type() == drive }

// in changes the user data in messages.
func in(change func(string) (string, error), messages ...**structpb.Struct) error {
	as := plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true, KeepResources: true, KeepOutputValues: true}
	for _, message := range messages {
		properties, err := plugin.UnmarshalProperties(*message, as)
		if err != nil {
			return err
		}
		value, secret := properties[userData], false
		if value.IsSecret() {
			value, secret = value.SecretValue().Element, true
		}
		if !value.IsString() {
			continue
		}
		text, err := change(value.StringValue())
		if err != nil {
			return err
		}
		properties[userData] = resource.NewProperty(text)
		if secret {
			properties[userData] = resource.MakeSecret(properties[userData])
		}
		if *message, err = plugin.MarshalProperties(properties, as); err != nil {
			return err
		}
	}
	return nil
}

func hash(text string) (string, error) {
	if strings.HasPrefix(text, prefix) {
		return text, nil
	}
	sum := sha256.Sum256([]byte(text))
	return prefix + hex.EncodeToString(sum[:]), nil
}

func (s *short) text(hash string) (string, error) {
	if !strings.HasPrefix(hash, prefix) {
		return hash, nil
	}
	text, known := s.texts.Load(hash)
	if !known {
		return "", fmt.Errorf("userData: of the drive only the hash %s is known, which no check of this plugin has made: run pulumi up again", hash)
	}
	return text.(string), nil
}
