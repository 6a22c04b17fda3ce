// Command pulumi-resource-quorum serves the quorum package to Pulumi.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pulumi-quorum/pulumi-quorum/provider"
)

func main() {
	if err := provider.Serve(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
