package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// Root is the directory of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// toolsDir is where the CLI, the YAML host and the real plugins are. Tests do
// not build these themselves: it takes minutes.
var toolsDir = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("QUORUM_TOOLS"); dir != "" {
		return dir, nil
	}
	return builtTools("engine")
})

// EtcdReleases is where etcd's own releases are, as etcd-VERSION.
var EtcdReleases = sync.OnceValues(func() (string, error) { return builtTools("etcd") })

var openstackDir = sync.OnceValues(func() (string, error) { return builtTools("openstack") })

func builtTools(which string) (string, error) {
	if err := watch("tools"); err != nil {
		return "", err
	}
	return output(exec.Command(filepath.Join(Root(), "tools", "build"), "--no-build", which))
}

// binaryDir is where our own plugins are built to. It is kept, so that go build
// has to link them only after a change.
var binaryDir = sync.OnceValues(func() (string, error) {
	cache := os.Getenv("QUORUM_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(dir, "quorum")
	}
	sum := sha256.Sum256([]byte(Root()))
	dir := filepath.Join(cache, "test", hex.EncodeToString(sum[:8]))
	return dir, os.MkdirAll(dir, 0o755)
})

var quorumDir = sync.OnceValues(func() (string, error) {
	return build("quorum", "./provider/cmd/pulumi-resource-quorum", "pulumi-resource-quorum")
})

var fakeDir = sync.OnceValues(func() (string, error) {
	return build("fake", "./test/fake/libvirt", "pulumi-resource-libvirt", "pulumi-resource-tls")
})

// Etcd is test/real/etcdprogram.
func Etcd() (string, error) {
	dir, err := build("etcd", "./test/real/etcdprogram", "etcd")
	return filepath.Join(dir, "etcd"), err
}

var hostDir = sync.OnceValues(func() (string, error) { return builtTools("languages") })

// watch looks at sources, so that go test does not take results from its cache
// after they have changed: it notices which files a test looks at, but not what
// the programs are made of that a test builds and runs.
func watch(dirs ...string) error {
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(Root(), dir), func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// build makes a directory with a program of ours under one name or more. Test
// binaries of several packages run at the same time, hence the lock.
func build(name, pkg string, programs ...string) (string, error) {
	if err := watch("provider", "test/fake/libvirt", "test/real/etcdprogram"); err != nil {
		return "", err
	}
	base, err := binaryDir()
	if err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(base, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	dir := filepath.Join(base, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, programs[0]), pkg)
	cmd.Dir = Root()
	if _, err := output(cmd); err != nil {
		return "", err
	}
	for _, program := range programs[1:] {
		link := filepath.Join(dir, program)
		if err := os.Symlink(programs[0], link); err != nil && !os.IsExist(err) {
			return "", err
		}
	}
	return dir, nil
}

func lock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	return func() { file.Close() }, nil
}

func output(cmd *exec.Cmd) (string, error) {
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(stdout)), nil
}
