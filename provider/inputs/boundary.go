package inputs

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// bounded has each call of a provider end in an answer or an error: a panic is
// an error that names the resource, and what it said goes to the debug log.
func bounded(prov p.Provider) p.Provider {
	prov.Check = bound(prov.Check, func(r p.CheckRequest) call { return call{r.Urn, []property.Map{r.State, r.Inputs}} })
	prov.Diff = bound(prov.Diff, func(r p.DiffRequest) call { return call{r.Urn, []property.Map{r.State, r.OldInputs, r.Inputs}} })
	prov.Create = bound(prov.Create, func(r p.CreateRequest) call { return call{r.Urn, []property.Map{r.Properties}} })
	prov.Read = bound(prov.Read, func(r p.ReadRequest) call { return call{r.Urn, []property.Map{r.Properties, r.Inputs}} })
	prov.Update = bound(prov.Update, func(r p.UpdateRequest) call { return call{r.Urn, []property.Map{r.State, r.OldInputs, r.Inputs}} })
	prov.Construct = bound(prov.Construct, func(r p.ConstructRequest) call { return call{r.Urn, []property.Map{r.Inputs}} })
	remove := prov.Delete
	removed := bound(func(ctx context.Context, r p.DeleteRequest) (struct{}, error) { return struct{}{}, remove(ctx, r) },
		func(r p.DeleteRequest) call { return call{r.Urn, []property.Map{r.Properties, r.OldInputs}} })
	prov.Delete = func(ctx context.Context, r p.DeleteRequest) error {
		_, err := removed(ctx, r)
		return err
	}
	return prov
}

// call is what a call is about, and the values that it was given.
type call struct {
	urn   resource.URN
	given []property.Map
}

func bound[Q, R any](inner func(context.Context, Q) (R, error), about func(Q) call) func(context.Context, Q) (R, error) {
	if inner == nil {
		return nil
	}
	return func(ctx context.Context, req Q) (R, error) {
		resp, err := recovered(ctx, req, inner)
		found, is := fault.In(err)
		if !is {
			return resp, err
		}
		of := about(req)
		p.GetLogger(ctx).Debug(found.Detail(of.redact))
		return resp, fmt.Errorf("%s: %w", title(of.urn), found)
	}
}

func recovered[Q, R any](ctx context.Context, req Q, inner func(context.Context, Q) (R, error)) (resp R, err error) {
	defer fault.Into(&err)
	return inner(ctx, req)
}

// redact takes out whatever was given: a value is not always marked where it
// is secret.
func (c call) redact(text string) string {
	var all secrets
	for _, values := range c.given {
		all.collect(property.New(values), true)
	}
	return all.redact(text)
}
