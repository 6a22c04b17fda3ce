//go:build e2e

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where the program of etcd has what machines that run are handed.
const (
	loginInput = "      sshAdminPublicKey: ${sshPublicKey}\n"
	dnsServers = `dnsServers: ["${subnet}.1"]}]`
)

// loginKey makes a key for logins: the file of the private one, and the public one.
func loginKey(t *testing.T, name string) (file, public string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), name)
	must(t, "shell", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file)
	text, err := os.ReadFile(file + ".pub")
	require.NoError(t, err)
	return file, strings.TrimSpace(string(text))
}

// logIn runs a command on a machine, as its administrator who has a key.
func logIn(key, address, command string) (string, error) {
	return sandbox("shell", "timeout", "120", "ssh", "-i", key, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no",
		"-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "ConnectTimeout=20", "ubuntu@"+address, command)
}

// refused requires that a key lets nobody in, on a machine that answers.
func refused(t *testing.T, key, address string) {
	t.Helper()
	_, err := logIn(key, address, "true")
	assert.ErrorContains(t, err, "Permission denied (publickey)", address)
}

// testLogins has each member take another key while it runs, and refuse the former one: also after the program has
// gone back to the first.
func testLogins(t *testing.T, p platform) {
	const boots = "cat /proc/sys/kernel/random/boot_id"
	const hand = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEQEgiTPrEHuz8PlwYN9KnPHb3rUaWb1RX4XbU1c2Y6d by-hand"
	before, first := p.processes(t), on(t, members[0], "sh", "-c", boots)
	ann, annsKey := loginKey(t, "ann")
	bob, bobsKey := loginKey(t, "bob")
	on(t, members[0], "sh", "-c", `echo "$0" >>/home/ubuntu/.ssh/authorized_keys`, hand)

	hands := func(key string) {
		p.edit(t, "etcd", loginInput, strings.Replace(loginInput, "${sshPublicKey}", key, 1))
		assert.Contains(t, p.etcd.Preview().Diagnostics, "live: who logs in over SSH, by which key")
		p.live(t, "etcd")
	}
	hands(annsKey)
	for i := range members {
		_, err := logIn(ann, memberAddress(i), "sudo true")
		assert.NoError(t, err)
		refused(t, bob, memberAddress(i))
	}
	hands(bobsKey)
	for i := range members {
		refused(t, ann, memberAddress(i))
	}
	booted, err := logIn(bob, memberAddress(0), boots)
	require.NoError(t, err)
	assert.Equal(t, first, strings.TrimSpace(booted), "it has not rebooted")
	mode, err := logIn(bob, memberAddress(0), "stat -c '%a %U' .ssh/authorized_keys")
	require.NoError(t, err)
	assert.Equal(t, "600 ubuntu", strings.TrimSpace(mode))

	p.edit(t, "etcd", loginInput, loginInput)
	p.live(t, "etcd")
	for i := range members {
		refused(t, bob, memberAddress(i))
	}
	assert.Contains(t, on(t, members[0], "cat", "/home/ubuntu/.ssh/authorized_keys"), hand, "others' keys stay")
	again(t, members[0])
	for _, key := range []string{ann, bob} {
		wait(t, "sshd of "+members[0], func() error {
			if _, err := logIn(key, memberAddress(0), "true"); err == nil || !strings.Contains(err.Error(), "Permission denied") {
				return errors.Join(errors.New("it does not refuse a former key"), err)
			}
			return nil
		})
	}
	for _, name := range members[1:] {
		assert.Equal(t, before[name], mainProcess(t, name, "etcd"), name)
	}
}

// testResolvers has each member ask another DNS server, which knows the platform's names, at once and after a reboot.
func testResolvers(t *testing.T, p platform) {
	knows := func(name string) error {
		out, err := hardware.do("exec", name, "resolvectl", "query", "--legend=no", "postgres."+zone)
		if err == nil && !strings.Contains(out, sharedIP) {
			err = errors.New(out)
		}
		return err
	}
	before := p.processes(t)
	require.Error(t, knows(members[0]), "nobody answers at the address of before")
	addresses := on(t, members[0], "ip", "-oneline", "address", "show", "scope", "global")
	p.edit(t, "etcd", dnsServers, strings.Replace(dnsServers, ".1", ".21", 1))
	assert.Contains(t, p.etcd.Preview().Diagnostics, "live: which DNS servers it asks")
	p.live(t, "etcd")
	for _, name := range members {
		assert.NoError(t, knows(name), name)
		assert.Equal(t, before[name], mainProcess(t, name, "etcd"), name)
	}
	assert.Equal(t, addresses, on(t, members[0], "ip", "-oneline", "address", "show", "scope", "global"))

	again(t, members[0])
	wait(t, "names on "+members[0], func() error { return knows(members[0]) })
	servers := on(t, members[0], "resolvectl", "dns")
	assert.Contains(t, servers, nameserver)
	assert.NotRegexp(t, `10\.77\.0\.1\b`, servers, "the one of before")
	p.edit(t, "etcd", dnsServers, dnsServers)
	p.live(t, "etcd")
	assert.NotContains(t, on(t, members[0], "resolvectl", "dns"), nameserver)
}

// memberAddress is where a member of the platform's etcd is.
func memberAddress(i int) string { return addresses[members[i]] }

// again has a machine lose its power, and come back.
func again(t *testing.T, name string) {
	t.Helper()
	machine(t, "off", name)
	machine(t, "reboot", name)
	wait(t, "etcd on "+name, func() error {
		_, err := hardware.do("exec", name, "systemctl", "is-active", "--quiet", "etcd")
		return err
	})
}
