package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

//go:embed run.py
var runPython string

// reported is how Pulumi's programs in JavaScript end when they have told the
// engine why.
const reported = 32

// Run runs the program and waits for its end.
func (h host) Run(ctx context.Context, req *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	env, err := h.environment(req)
	if err != nil {
		return nil, err
	}
	dir := req.Info.ProgramDirectory
	line := h.command(req, dir)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit) && exit.ExitCode() == reported:
		return &pulumirpc.RunResponse{Bail: true}, nil
	case err != nil:
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("%s: %v", line[0], err)}, nil
	}
	return &pulumirpc.RunResponse{}, nil
}

// command is what runs the program in dir.
func (h host) command(req *pulumirpc.RunRequest, dir string) []string {
	switch h.language {
	case "nodejs":
		return []string{
			"node", "--eval", "require('@pulumi/pulumi/cmd/run')", "run",
			"--organization=" + req.Organization, "--project=" + req.Project, "--stack=" + req.Stack,
			"--root-directory=" + req.Info.RootDirectory, "--pwd=" + dir,
			"--monitor=" + req.MonitorAddress, "--engine=" + h.engine,
			"--parallel=" + strconv.Itoa(int(req.Parallel)), "--dry-run=" + strconv.FormatBool(req.DryRun), ".",
		}
	case "python":
		return []string{python(req.Info, dir), "-c", runPython}
	}
	return []string{"go", "run", "."}
}

// python is the interpreter of a program, which may have a virtual environment.
func python(info *pulumirpc.ProgramInfo, dir string) string {
	if venv := info.Options.GetFields()["virtualenv"].GetStringValue(); venv != "" {
		return filepath.Join(dir, venv, "bin", "python")
	}
	return "python3"
}

// environment is what a program finds the engine and its configuration by.
func (h host) environment(req *pulumirpc.RunRequest) ([]string, error) {
	config, err := json.Marshal(req.Config)
	if err != nil {
		return nil, err
	}
	secrets, err := json.Marshal(req.ConfigSecretKeys)
	if err != nil {
		return nil, err
	}
	return []string{
		"PULUMI_ORGANIZATION=" + req.Organization,
		"PULUMI_PROJECT=" + req.Project,
		"PULUMI_STACK=" + req.Stack,
		"PULUMI_ROOT_DIRECTORY=" + req.Info.RootDirectory,
		"PULUMI_CONFIG=" + string(config),
		"PULUMI_CONFIG_SECRET_KEYS=" + string(secrets),
		"PULUMI_MONITOR=" + req.MonitorAddress,
		"PULUMI_ENGINE=" + h.engine,
		"PULUMI_PARALLEL=" + strconv.Itoa(int(req.Parallel)),
		"PULUMI_DRY_RUN=" + strconv.FormatBool(req.DryRun),
		"PULUMI_NODEJS_TYPESCRIPT=true",
		"PULUMI_NODEJS_TRANSPILE_ONLY=true", // `make sdk` checks types
	}, nil
}
