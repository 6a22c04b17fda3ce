// Command fakeplugin poses as pulumi-resource-libvirt or pulumi-resource-tls,
// by the name it is started under, so that programs run in the real engine
// without a hypervisor.
//
// The libvirt one keeps its hosts in files (see package world), refuses names
// that are taken and replaces what the real one replaces. The tls one makes
// real certificates. With FAKE_MACHINES=1 a domain is a machine that boots, in
// systemd-nspawn, from the cloud-init disk it refers to.
//
//	FAKE_WORLD     directory of the world (default "world")
//	FAKE_DELAY_MS  how long each change takes
//	FAKE_MACHINES  1: boot machines
//	FAKE_PUBLISHED 1: libvirt's published plugin, with whole user data in the state
//	FAKE_SANDBOX   the sandbox program, for FAKE_MACHINES
//	FAKE_ROOTFS    root file system of the machines, likewise
//	QUORUM_SANDBOX, QUORUM_CACHE  which sandbox, as for the program itself
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

func main() {
	if err := run(context.Background(), strings.TrimPrefix(filepath.Base(os.Args[0]), "pulumi-resource-")); err != nil {
		fmt.Fprintln(os.Stderr, "fakeplugin:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name string) error {
	schema, err := loadSchema(name)
	if err != nil {
		return err
	}
	s := &server{
		schema: schema,
		world:  hypervisor.World(orElse(os.Getenv("FAKE_WORLD"), "world")),
		host:   orElse(os.Getenv("LIBVIRT_DEFAULT_URI"), "default"),
	}
	if ms := os.Getenv("FAKE_DELAY_MS"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil {
			return fmt.Errorf("FAKE_DELAY_MS: %w", err)
		}
		s.delay = time.Duration(n) * time.Millisecond
	}
	if os.Getenv("FAKE_MACHINES") == "1" {
		s.machines = &machines{
			sandbox: os.Getenv("FAKE_SANDBOX"), rootfs: os.Getenv("FAKE_ROOTFS"), state: sandboxState(), world: s.world,
		}
	}
	plugin := s.provider()
	if os.Getenv("FAKE_PUBLISHED") != "1" {
		plugin = short(plugin)
	}
	return p.RunProvider(ctx, name, schema.Version, plugin)
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
