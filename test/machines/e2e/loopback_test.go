//go:build e2e

package e2e

import (
	"crypto/x509/pkix"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/fake/libvirt/pki"
)

// loopback is a cluster of three etcd members on one machine: two that are
// there, and etcd.service, whose certificate may have expired.
type loopback struct{ ca, key, valid, expired string }

func newLoopback(t *testing.T) loopback {
	t.Helper()
	ca, key := newKey(t), newKey(t)
	now := time.Now()
	authority, err := pki.SelfSign(ca, pki.Names{Subject: pkix.Name{CommonName: "authority"}},
		pki.Terms{From: now.Add(-2 * time.Hour), Until: now.Add(24 * time.Hour), CA: true, Uses: []string{"cert_signing"}})
	require.NoError(t, err)
	leaf := func(until time.Time) string {
		request, _, err := pki.NewRequest(key, pki.Names{Subject: pkix.Name{CommonName: "etcd"}, IPs: []string{"127.0.0.1"}})
		require.NoError(t, err)
		cert, err := pki.Sign(request, authority.PEM, ca, pki.Terms{From: now.Add(-2 * time.Hour), Until: until, Uses: []string{"server_auth", "client_auth", "digital_signature"}})
		require.NoError(t, err)
		return cert.PEM
	}
	return loopback{authority.PEM, key, leaf(now.Add(24 * time.Hour)), leaf(now.Add(-time.Hour))}
}

func newKey(t *testing.T) string {
	t.Helper()
	key, err := pki.NewKey("ECDSA", "P256", 0)
	require.NoError(t, err)
	return key.PEM
}

// state is what a machine is to be that runs them, with this certificate for etcd.service.
func (c loopback) state(cert string) (s guest.State) {
	s.Files = []guest.File{
		guest.Public("/etc/loopback/ca.crt", c.ca), guest.Private("/etc/loopback/key", "root", c.key),
		guest.Public("/etc/loopback/peer.crt", c.valid), guest.Public("/etc/loopback/etcd.crt", cert),
	}
	for n, name := range []string{"etcd-a", "etcd-b", "etcd"} {
		certificate, kind := "peer", "simple"
		if name == "etcd" {
			certificate, kind = "etcd", "notify"
		}
		s.Files = append(s.Files, guest.Unit(name+".service", fmt.Sprintf(memberUnit, name, kind, memberCommand(name, certificate, n))))
		s.Services = append(s.Services, guest.Service{Name: name + ".service", Timeout: 300})
	}
	return s
}

const memberUnit = `[Unit]
Description=The member %s

[Service]
Type=%s
StateDirectory=loopback
ExecStart=%s
TimeoutStartSec=infinity
Restart=always

[Install]
WantedBy=multi-user.target
`

func memberCommand(name, certificate string, n int) string {
	peer := func(n int) string { return fmt.Sprintf("https://127.0.0.1:%d", 2480+n) }
	command := []string{
		"/usr/bin/etcd", "--name=" + name, "--data-dir=/var/lib/loopback/" + name,
		"--listen-peer-urls=" + peer(n), "--initial-advertise-peer-urls=" + peer(n),
		fmt.Sprintf("--listen-client-urls=http://127.0.0.1:%d", 2580+n), fmt.Sprintf("--advertise-client-urls=http://127.0.0.1:%d", 2580+n),
		fmt.Sprintf("--initial-cluster=etcd-a=%s,etcd-b=%s,etcd=%s", peer(0), peer(1), peer(2)),
		"--peer-client-cert-auth", "--peer-trusted-ca-file=/etc/loopback/ca.crt", "--peer-key-file=/etc/loopback/key",
		"--peer-cert-file=/etc/loopback/" + certificate + ".crt",
	}
	return strings.Join(command, " ")
}
