package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// short is the plugin of this project, in whose states drives have a hash of their user data.
func short(of p.Provider) p.Provider {
	var texts sync.Map
	hash := func(urn resource.URN, in property.Map) property.Map {
		return userData(urn, in, func(text string) string {
			if strings.HasPrefix(text, hashed) {
				return text
			}
			sum := sha256.Sum256([]byte(text))
			hash := hashed + hex.EncodeToString(sum[:])
			texts.Store(hash, text)
			return hash
		})
	}
	check, diff, create := of.Check, of.Diff, of.Create
	of.Check = func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		answer, err := check(ctx, req)
		answer.Inputs = hash(req.Urn, answer.Inputs)
		return answer, err
	}
	of.Diff = func(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
		req.State, req.OldInputs, req.Inputs = hash(req.Urn, req.State), hash(req.Urn, req.OldInputs), hash(req.Urn, req.Inputs)
		return diff(ctx, req)
	}
	of.Create = func(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
		lost := ""
		req.Properties = userData(req.Urn, req.Properties, func(hash string) string {
			text, known := texts.Load(hash)
			if !known {
				lost = hash
				return hash
			}
			return text.(string)
		})
		if lost != "" {
			return p.CreateResponse{}, fmt.Errorf("userData: only the hash %s is known", lost)
		}
		answer, err := create(ctx, req)
		answer.Properties = hash(req.Urn, answer.Properties)
		return answer, err
	}
	return of
}

const hashed = "sha256:"

// userData changes that of a drive.
func userData(urn resource.URN, in property.Map, change func(string) string) property.Map {
	value, has := in.GetOk("userData")
	if urn.Type() != "libvirt:index/cloudInitDisk:CloudInitDisk" || !has || !value.IsString() {
		return in
	}
	return in.Set("userData", property.WithGoValue(value, change(value.AsString())))
}
