// Command pulumi-language-go lets tests run programs in Go, and under the names
// pulumi-language-nodejs and pulumi-language-python those in TypeScript and
// Python, as `pulumi up` does for users.
//
// Pulumi's own language hosts cannot be built from Go modules. This one does
// what is needed of them: it runs the program, which finds the engine and its
// configuration in its environment; it tells which plugins a program asks for;
// and it writes SDKs, with Pulumi's own generators. Its go.mod has the CLI's version.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

func main() {
	h := host{
		language: strings.TrimPrefix(filepath.Base(os.Args[0]), "pulumi-language-"),
		engine:   os.Args[len(os.Args)-1],
	}
	if err := h.serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	language string
	engine   string // its address
}

// serve answers the engine, which ends this process, and tells it the port. If
// the engine was killed, it ends by itself.
func (h host) serve() error {
	gone := make(chan bool)
	if err := rpcutil.Healthcheck(context.Background(), h.engine, time.Minute, func() { close(gone) }); err != nil {
		return err
	}
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: gone,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, h)
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Println(handle.Port)
	return <-handle.Done
}

// GetPluginInfo says nothing: a version is not looked for.
func (host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

// GetRequiredPlugins is what the CLI asks for as well.
func (host) GetRequiredPlugins(context.Context, *pulumirpc.GetRequiredPluginsRequest) (*pulumirpc.GetRequiredPluginsResponse, error) {
	return &pulumirpc.GetRequiredPluginsResponse{}, nil
}
