module github.com/hashicorp/terraform-provider-tls/shim

go 1.25.11

require (
	github.com/hashicorp/terraform-plugin-framework v1.14.1
	github.com/hashicorp/terraform-provider-tls v1.2.1-0.20250423195406-eefba144662d
)
