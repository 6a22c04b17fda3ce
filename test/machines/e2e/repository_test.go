//go:build e2e

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repository is one of packages, served to machines.
type repository struct {
	dir, url string
	image    string // root of the machines' image
}

// pkg is a package as the repository has it.
type pkg struct {
	name, version string
	files         []string // of the image
	after         string   // what is run once it is installed
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	rootfs, _, _ := strings.Cut(must(t, "image", string(baked)), "\n")
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	return &repository{dir, must(t, "serve", dir), rootfs}
}

// packaged is a package of the image, with its files but for those that it lets users change.
func (r *repository) packaged(t *testing.T, name string) pkg {
	t.Helper()
	status, err := os.ReadFile(filepath.Join(r.image, "var/lib/dpkg/status"))
	require.NoError(t, err)
	found := regexp.MustCompile(`(?ms)^Package: ` + name + `$.*?^Version: (\S+)$`).FindSubmatch(status)
	require.NotNil(t, found, name)
	list, err := os.ReadFile(filepath.Join(r.image, "var/lib/dpkg/info", name+".list"))
	require.NoError(t, err)
	p := pkg{name: name, version: string(found[1])}
	for _, file := range strings.Fields(string(list)) {
		if !strings.HasPrefix(file, "/etc/") {
			p.files = append(p.files, file)
		}
	}
	return p
}

// as is the same with more behind its version.
func (p pkg) as(more string) pkg {
	p.version += more
	return p
}

// use has a machine know no other repository.
func (r *repository) use(t *testing.T, machine string) {
	t.Helper()
	on(t, machine, "sh", "-c", `rm -rf /etc/apt/sources.list.d/* && echo "deb [trusted=yes] $0 ./" >/etc/apt/sources.list &&
		echo 'Acquire::http::Proxy::10.77.0.1 "DIRECT";' >/etc/apt/apt.conf.d/00direct`, r.url)
}

// publish has the repository consist of these packages; without any, it has not even a list of them.
func (r *repository) publish(t *testing.T, packages ...pkg) {
	t.Helper()
	for _, name := range []string{"Packages", "Release"} {
		if err := os.Remove(filepath.Join(r.dir, name)); !os.IsNotExist(err) {
			require.NoError(t, err)
		}
	}
	var list strings.Builder
	for _, p := range packages {
		list.WriteString(r.build(t, p))
	}
	if list.Len() == 0 {
		return
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "Packages"), []byte(list.String()), 0o644))
	release := fmt.Sprintf("Origin: quorum\nSuite: stable\nDate: Sun, 05 Jan 2025 00:00:00 UTC\nSHA256:\n %x %d Packages\n", sha256.Sum256([]byte(list.String())), list.Len())
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "Release"), []byte(release), 0o644))
}

// build makes the package's file, and gives what the list has of it.
func (r *repository) build(t *testing.T, p pkg) string {
	t.Helper()
	tree := t.TempDir()
	put := func(path string, content []byte, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(tree, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(tree, path), content, mode))
	}
	control := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: Quorum <quorum@example.org>\nDescription: of a test\n", p.name, p.version)
	put("DEBIAN/control", []byte(control), 0o644)
	if p.after != "" {
		put("DEBIAN/postinst", []byte("#!/bin/sh\n"+p.after), 0o755)
	}
	for _, file := range p.files {
		from := filepath.Join(r.image, file)
		status, err := os.Lstat(from)
		if os.IsNotExist(err) { // the image has no documentation
			continue
		}
		require.NoError(t, err)
		switch to := filepath.Join(tree, file); {
		case status.IsDir():
			require.NoError(t, os.MkdirAll(to, 0o755))
		case status.Mode()&os.ModeSymlink != 0:
			leads, err := os.Readlink(from)
			require.NoError(t, err)
			require.NoError(t, os.Symlink(leads, to))
		default:
			content, err := os.ReadFile(from)
			require.NoError(t, err)
			put(file, content, status.Mode())
		}
	}
	name := p.name + "_" + strings.ReplaceAll(p.version, ":", "") + ".deb"
	out, err := exec.Command("dpkg-deb", "--build", "--root-owner-group", "-Znone", tree, filepath.Join(r.dir, name)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	deb, err := os.ReadFile(filepath.Join(r.dir, name))
	require.NoError(t, err)
	hash := sha256.Sum256(deb)
	return fmt.Sprintf("%sFilename: ./%s\nSize: %d\nSHA256: %s\n\n", control, name, len(deb), hex.EncodeToString(hash[:]))
}
