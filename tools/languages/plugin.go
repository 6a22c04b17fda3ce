package main

import (
	"errors"
	"os"
	"os/exec"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// RunPlugin runs a plugin that is there as source, until the engine has had enough.
func (host) RunPlugin(req *pulumirpc.RunPluginRequest, told grpc.ServerStreamingServer[pulumirpc.RunPluginResponse]) error {
	cmd := exec.CommandContext(told.Context(), "go", append([]string{"run", "."}, req.Args...)...)
	cmd.Dir, cmd.Env = req.Info.ProgramDirectory, append(os.Environ(), req.Env...)
	var turn sync.Mutex
	cmd.Stdout = teller(func(text []byte) error {
		turn.Lock()
		defer turn.Unlock()
		return told.Send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stdout{Stdout: text}})
	})
	cmd.Stderr = teller(func(text []byte) error {
		turn.Lock()
		defer turn.Unlock()
		return told.Send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stderr{Stderr: text}})
	})
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return err
	}
	return told.Send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: int32(cmd.ProcessState.ExitCode())}})
}

// InstallDependencies has nothing to do: Go fetches modules when it builds.
func (host) InstallDependencies(*pulumirpc.InstallDependenciesRequest, grpc.ServerStreamingServer[pulumirpc.InstallDependenciesResponse]) error {
	return nil
}

// teller writes to whoever is told.
type teller func([]byte) error

func (t teller) Write(text []byte) (int, error) { return len(text), t(text) }
