//go:build e2e

package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/libvirt/pki"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const (
	s3Access, s3Secret = "access-of-s3", "secret-of-s3"
	s3Port             = "9443"
)

// s3 is a real S3 service on the sandbox's bridge, over TLS with an authority of its own.
type s3 struct {
	endpoint, ca, directory string

	command *exec.Cmd
	start   func()
}

func startS3(t *testing.T) *s3 {
	t.Helper()
	address, directory := sandboxAbout(t).of("gateway"), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(directory, "data", "backups"), 0o700))
	cert, key := certificateOf(t, pki.Names{DNS: []string{address}, IPs: []string{address}})
	for name, text := range map[string]string{"s3.crt": cert, "s3.key": key} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600))
	}
	built, err := exec.Command(filepath.Join(engine.Root(), "tools", "build"), "--no-build", "s3").Output()
	require.NoError(t, err, "run tools/build s3")
	s := &s3{endpoint: "https://" + net.JoinHostPort(address, s3Port), ca: readPKI(t, "ca.crt"), directory: filepath.Join(directory, "data")}
	s.start = func() {
		s.command = exec.Command("nsenter", "--net="+filepath.Join("/run/netns", sandboxAbout(t).of("namespace")),
			filepath.Join(strings.TrimSpace(string(built)), "versitygw"), "-q", "--port", net.JoinHostPort(address, s3Port), "--access", s3Access, "--secret", s3Secret,
			"--cert", filepath.Join(directory, "s3.crt"), "--key", filepath.Join(directory, "s3.key"), "posix", s.directory)
		require.NoError(t, s.command.Start())
	}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *s3) stop() {
	if s.command != nil {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
		s.command = nil
	}
}

func readPKI(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(engine.Root(), "provider", "testdata", "pki", name))
	require.NoError(t, err)
	return string(text)
}
