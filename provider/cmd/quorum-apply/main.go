// Command quorum-apply prints the program of this name, which puts machines into their
// state, as machines are handed it.
package main

import (
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

func main() { fmt.Print(guest.Apply()) }
