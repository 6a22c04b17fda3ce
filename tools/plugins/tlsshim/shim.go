// Package shim re-exports the TLS Terraform provider. The path of its module
// lies below upstream's, so Go lets it import upstream's internal packages;
// nothing of upstream's is copied here.
package shim

import (
	"github.com/hashicorp/terraform-plugin-framework/provider"
	tls "github.com/hashicorp/terraform-provider-tls/internal/provider"
)

// New returns the upstream TLS provider.
func New() provider.Provider { return tls.New() }
