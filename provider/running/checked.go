package running

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// checkedToken is that of a function which the schema does not have: Checked calls it.
const checkedToken = "quorum:index:isChecked"

type (
	checked bool
	asked   struct {
		URN string `pulumi:"urn"`
	}
	answered struct {
		Is bool `pulumi:"is"`
	}
)

// Checked asks the provider of a component's children whether the engine has checked a
// resource of this one's: it does so with each that the update does not leave out by --target.
func Checked(ctx *pulumi.Context, resource urn.URN, opts ...pulumi.InvokeOption) (bool, error) {
	var is answered
	err := ctx.Invoke(checkedToken, &asked{string(resource)}, &is, opts...)
	return is.Is, err
}

func noteChecked(ctx context.Context, resource urn.URN) {
	Note(ctx, string(resource), func(is *checked) { *is = true })
}

func isChecked(ctx context.Context, req p.InvokeRequest) p.InvokeResponse {
	is := false
	if resource := req.Args.Get("urn"); resource.IsString() {
		_, is = Noted[checked](ctx, resource.AsString())
	}
	return p.InvokeResponse{Return: property.NewMap(map[string]property.Value{"is": property.New(is)})}
}
