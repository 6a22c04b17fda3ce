//go:build e2e

// Package e2e has the real engine bring up etcd clusters, and the platform of
// the examples, on machines that boot: containers of a sandbox, with cloud-init,
// systemd and the services as on a VM. Needs root, the host packages of "sandbox
// install" and those of "tools/setup e2e".
//
//	go test -tags e2e -timeout 30m ./test/machines/e2e
package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

var program = filepath.Join(engine.Root(), "test", "machines", "sandbox", "sandbox")

func TestMain(m *testing.M) {
	status, err := inSandbox(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// inSandbox runs the tests in a sandbox of their own, which ends with them.
func inSandbox(run func() int) (status int, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return 1, err
	}
	if os.Getenv("QUORUM_CACHE") == "" {
		os.Setenv("QUORUM_CACHE", filepath.Join(cache, "quorum"))
	}
	if os.Getenv("QUORUM_SANDBOX") == "" {
		os.Setenv("QUORUM_SANDBOX", "e2e")
	}
	if _, err := sandbox("down"); err != nil { // of a run that was killed
		return 1, err
	}
	for _, kind := range []image{baked, stock} {
		if _, err := sandbox("image", string(kind)); err != nil {
			return 1, err
		}
	}
	defer func() {
		if _, downErr := sandbox("down"); err == nil {
			err = downErr
		}
	}()
	if _, err := sandbox(hardware.up()...); err != nil {
		return 1, err
	}
	return run(), nil
}

// sandbox runs the sandbox program and gives what it prints.
func sandbox(args ...string) (string, error) {
	var stdout, stderr strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("sandbox %s: %w\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return strings.TrimSpace(stdout.String()), nil
}

func must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := sandbox(args...)
	require.NoError(t, err)
	return out
}

// machine does something to one.
func machine(t *testing.T, command, name string, args ...string) string {
	t.Helper()
	out, err := hardware.do(command, name, args...)
	require.NoError(t, err)
	return out
}

// on runs a command on a machine.
func on(t *testing.T, name string, command ...string) string {
	t.Helper()
	return machine(t, "exec", name, command...)
}

// image names a root file system of the sandbox.
type image string

const (
	baked image = "baked" // with the packages of the roles
	stock image = "stock" // as the distribution's cloud image
)

// newStack makes a stack whose machines boot from an image. Its own are gone after the test.
func newStack(t *testing.T, from image, text string, own []string, config map[string]string) *engine.Stack {
	t.Helper()
	return engine.New(t, stackOptions(t, from, text, own, config))
}

func stackOptions(t *testing.T, from image, text string, own []string, config map[string]string) engine.Options {
	t.Helper()
	t.Cleanup(func() {
		for _, name := range machines(t) {
			if !slices.Contains(own, name) {
				continue
			}
			if t.Failed() {
				console, _ := hardware.do("console", name)
				t.Logf("console of %s:\n%s", name, tail(console, 40))
			}
			machine(t, "down", name)
		}
	})
	options := engine.Options{Program: text, Config: map[string]string{}}
	maps.Copy(options.Config, config)
	hardware.use(sandboxAbout(t), from, &options)
	return options
}

// sandboxAbout is what the sandbox says of itself.
func sandboxAbout(t *testing.T) (a about) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(must(t, "status", "--json")), &a))
	return a
}

// machines are the names of those there are.
func machines(t *testing.T) []string {
	t.Helper()
	names, err := hardware.names()
	require.NoError(t, err)
	return names
}

// wait is for what a machine does by itself: until it fails no more.
func wait(t *testing.T, what string, try func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(hardware.patience()); time.Now().Before(end); time.Sleep(time.Second) {
		if err = try(); err == nil {
			return
		}
	}
	require.NoError(t, err, "%s, after %s", what, hardware.patience())
}

func tail(text string, count int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}
