// Command pulumi-resource-quorum serves the quorum package to Pulumi. With
// from-terraform it makes a program of what the Terraform modules made.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pulumi-quorum/pulumi-quorum/provider"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fromterraform"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "from-terraform" {
		os.Exit(fromterraform.Main(context.Background(), os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if err := provider.Serve(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
