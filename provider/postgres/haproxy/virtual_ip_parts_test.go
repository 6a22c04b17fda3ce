package haproxy_test

import (
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/keepalived"
)

// nobody is a user that is there, in place of keepalived's own.
const nobody = "nobody"

// asUnit begins a command as the unit of keepalived does: as a user with no other capabilities.
func asUnit() []string {
	const caps = "-all,+net_admin,+net_raw,+setgid"
	return []string{"setpriv", "--reuid", nobody, "--regid", "nogroup", "--clear-groups", "--inh-caps=" + caps, "--ambient-caps=" + caps, "--bounding-set=" + caps}
}

// configure writes what HAProxy and keepalived read, has keepalived judge it, and closes the
// firewall.
func (s *sharer) configure(t *testing.T) {
	t.Helper()
	c := haproxy.Config{IPs: []string{s.ip}, Haproxy: settings(), CACert: pki(t, "ca.crt"), Asked: true}
	balancer, err := c.State()
	require.NoError(t, err)
	virtual := keepalived.VirtualIP{Address: sharedIP, UnicastPeers: []string{s.peer}, Priority: &s.priority}
	shared, err := keepalived.Config{Name: s.name, IP: s.ip, VirtualIP: virtual, Check: haproxy.Answers()}.State()
	require.NoError(t, err)
	balancer.Add(shared)
	place := strings.NewReplacer("/etc/haproxy/patroni", s.home, "/etc/haproxy", s.home, "/etc/keepalived", s.home, "/run/keepalived", s.home+"/run",
		"/usr/local/lib/quorum", s.home, "script_user keepalived", "script_user nobody nogroup", "--reuid keepalived --regid keepalived", "--reuid nobody --regid nogroup")
	for _, f := range balancer.Files {
		if path := place.Replace(f.Path); filepath.Dir(path) == s.home {
			mode := os.FileMode(0o644)
			if f.Mode == "0755" {
				mode = 0o755
			}
			require.NoError(t, os.WriteFile(path, []byte(place.Replace(f.Content)), mode)) //nolint:gosec // programs
			require.NoError(t, os.Chmod(path, mode))
		}
	}
	require.NoError(t, os.MkdirAll(s.home+"/run", 0o777))
	require.NoError(t, os.Chmod(s.home+"/run", 0o777)) //nolint:gosec // which systemd makes for the user
	s.run(t, s.home+"/keepalived-here", "check")
	s.run(t, s.home+"/keepalived-here", "write")
	s.closeFirewall(t)
}

// closeFirewall lets in what a load balancer has.
func (s *sharer) closeFirewall(t *testing.T) {
	t.Helper()
	var off *host.Firewall
	for _, f := range off.State([]host.Door{{Service: "haproxy", Port: 5432, Protocol: host.TCP}, {Service: "vrrp", Protocol: host.VRRP, From: []string{s.peer}}}).Files {
		if strings.HasSuffix(f.Path, ".nft") {
			path := filepath.Join(s.home, "firewall.nft")
			require.NoError(t, os.WriteFile(path, []byte(f.Content), 0o600))
			s.run(t, "nft", "--file", path)
		}
	}
}

// forge sends advertisements of VRRP, version 3, from the client: of the router's id, with the
// highest priority, and with the TTL of who is on the same link.
func forge(t *testing.T, to ...string) {
	t.Helper()
	packet := []byte{0x31, byte(keepalived.VirtualIP{Address: sharedIP}.RouterID()), 254, 1, 0, 100, 0, 0}
	packet = append(packet, net.ParseIP(sharedIP).To4()...)
	for _, ip := range to {
		from, err := net.DialIP("ip4:112", &net.IPAddr{IP: net.ParseIP(clientIP)}, &net.IPAddr{IP: net.ParseIP(ip)})
		require.NoError(t, err)
		raw, err := from.SyscallConn()
		require.NoError(t, err)
		require.NoError(t, raw.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_TTL, 255)
		}))
		require.NoError(t, err)
		binary.BigEndian.PutUint16(packet[6:], 0)
		binary.BigEndian.PutUint16(packet[6:], checksum(append(append(net.ParseIP(clientIP).To4(), net.ParseIP(ip).To4()...), 0, 112, 0, byte(len(packet))), packet))
		_, err = from.Write(packet)
		require.NoError(t, err)
		require.NoError(t, from.Close())
	}
}

func checksum(parts ...[]byte) uint16 {
	sum := uint32(0)
	for _, part := range parts {
		for i := 0; i < len(part); i += 2 {
			sum += uint32(binary.BigEndian.Uint16(part[i:]))
		}
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
