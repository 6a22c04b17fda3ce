//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const (
	corednsPassword = "etcd-coredns$#3"

	nameserver, balancer = "10.77.0.21", "10.77.0.41"
)

// superuserRule lets the superuser in by way of the load balancers without a certificate.
const superuserRule = "{users: [postgres], networks: [10.77.0.41/32, 10.77.0.42/32]}"

var (
	nodes         = []string{"postgres-1", "postgres-2", "postgres-3"}
	nodeAddresses = []string{"10.77.0.31", "10.77.0.32", "10.77.0.33"}
)

// platform is what examples/platform makes.
type platform struct {
	etcd, dns, postgres *engine.Stack
	app                 *engine.Stack       // of the database that an application has
	names               string              // program of the stack dns, before it was changed
	edits               map[string][]string // what has changed in each stack's program: old text and new
	etcdCA              string              // file
	endpoints           string              // of etcd
	root                client              // of etcd
	database            *database
	writer              string // program that writes to etcd
}

type step struct {
	name string
	run  func(*testing.T, platform)
}

// platformSteps need those before them.
var platformSteps = []step{
	{"boot", testBoot},
	{"zone", testZone},
	{"replication", testReplication},
	{"application", testApplication},
	{"unchanged", testPlatformUnchanged},
	{"configuration", testConfiguration},
	{"doors", testDoors},
	{"secrets", testSecrets},
	{"rules", testRules},
	{"firewall", testFirewall},
	{"settings", testLiveSettings},
	{"logins", testLogins},
	{"resolvers", testResolvers},
	{"certificates", testRenewal},
	{"mistake", testMistake},
	{"authority", testAuthority},
	{"params", testParams},
	{"passwords", testPasswords},
	{"rebuild", testBesideRebuild},
	{"roll", testRoll},
	{"switchover", testSwitchover},
	{"leader killed", testLeaderKilled},
	{"leader isolated", testIsolated},
	{"processes killed", testProcessesKilled},
	{"patch day", testPlatformPatchDay},
	{"virtual address", testVirtualIP}, // leaves one load balancer
	{"pooler", testPooler},
	{"etcd leader restarted", testEtcdLeader},
	{"etcd stopped", testEtcdStopped},
	{"reboot", testRebooted},
	{"power failure", testPowerFailure},
	{"without DNS", testWithoutDNS},
	{"container", testContainer},
	{"destroy", testDestroyed},
}

// TestPlatform brings up the stacks of examples/platform and goes through their
// life. It has all of the sandbox's machines to itself, so it is not parallel to
// other tests.
func TestPlatform(t *testing.T) {
	p := newPlatform(t)
	for _, step := range platformSteps {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, p) }) {
			return
		}
	}
}

func newPlatform(t *testing.T) platform {
	t.Helper()
	return newPlatformOn(t, func(*engine.Stack) {})
}

// newPlatformOn has the machines of each stack be those that it chooses.
func newPlatformOn(t *testing.T, choose func(*engine.Stack)) (p platform) {
	t.Helper()
	p.edits, p.writer = map[string][]string{}, buildWriter(t)
	p.etcd = platformStack(t, "etcd", nil, members)
	choose(p.etcd)
	p.etcd.Up()
	p.etcdCA = secretFile(t, "etcd-ca.crt", p.etcd.Output("caCert"))
	p.endpoints = endpoints(p.etcd)
	p.root = newClient(p.endpoints, p.etcdCA, "--user=root", "--password="+p.etcd.Output("rootPassword"))

	p.dns, p.names = platformStack(t, "dns", p.etcd, []string{"dns-1"}), withRelease(t)
	_, stderr, err := p.dns.Run("config", "set", "--secret", "etcdPassword", corednsPassword)
	require.NoError(t, err, stderr)
	p.dns.Program(p.names)
	choose(p.dns)
	p.dns.Up()
	p.postgres = platformStack(t, "postgres", p.etcd, slices.Concat([]string{loadBalancer, secondBalancer}, nodes))
	choose(p.postgres)
	p.postgres.Up()
	p.app = platformStack(t, "app", p.etcd, nil)
	p.database = &database{ca: secretFile(t, "postgres-ca.crt", p.postgres.Output("caCert")), password: p.postgres.Output("superuserPassword")}
	return p
}

// platformStack is one of the platform's, on the backend of the first.
func platformStack(t *testing.T, name string, first *engine.Stack, own []string) *engine.Stack {
	t.Helper()
	options := stackOptions(t, baked, stackProgram(t, name), own, map[string]string{
		"sshPublicKey": engine.SSHKey, "subnet": "10.77.0", "network": "quorum", "memory": "1024", "installDependencies": "false",
		"watchdogMode": "automatic", // of PostgreSQL's: containers have none
	})
	options.Project, options.Beside = "platform-"+name, first
	return engine.New(t, options)
}

// ofBackups is what a cluster's program has for backups, which TestSite makes. Here there is no S3.
var ofBackups = regexp.MustCompile(`(?m)^  s3[A-Z].*\n|^  s3:\n(    .*\n)+|^      backup: .*\n|^  backup[A-Z].*\n`)

// stackProgram is one of examples/platform without backups, with pairs of old and new text replaced.
func stackProgram(t *testing.T, name string, oldNew ...string) string {
	t.Helper()
	program := engine.Example(t, filepath.Join("examples", "platform", name, "Pulumi.yaml"))
	if name == "etcd" || name == "postgres" {
		require.Regexp(t, ofBackups, program)
		program = strings.Replace(ofBackups.ReplaceAllString(program, ""), "variables:\n\n", "", 1) // if there are no others
	}
	if name == "etcd" {
		program = without(t, program, absent...)
	}
	if name == "postgres" { // the test writes as the superuser, by way of the load balancers
		oldNew = append(oldNew, "      postgres:\n", "      postgres:\n        access: ["+superuserRule+", {}]\n")
	}
	for i := 0; i < len(oldNew); i += 2 {
		require.Contains(t, program, oldNew[i])
		program = strings.ReplaceAll(program, oldNew[i], oldNew[i+1])
	}
	return program
}

// edit replaces text in the program of a stack, instead of what was last put there.
func (p platform) edit(t *testing.T, name, old, now string) {
	t.Helper()
	edits := p.edits[name]
	for i := 0; i < len(edits); i += 2 {
		if edits[i] == old {
			edits = slices.Delete(edits, i, i+2)
			break
		}
	}
	p.edits[name] = append(edits, old, now)
	text := p.names
	if name != "dns" {
		text = stackProgram(t, name)
	}
	for i := 0; i < len(p.edits[name]); i += 2 {
		require.Contains(t, text, p.edits[name][i])
		text = strings.Replace(text, p.edits[name][i], p.edits[name][i+1], 1)
	}
	p.stack(name).Program(text)
}

func (p platform) stack(name string) *engine.Stack {
	return map[string]*engine.Stack{"etcd": p.etcd, "dns": p.dns, "postgres": p.postgres}[name]
}

// trust has the clients trust the authorities that sign now.
func (p platform) trust(t *testing.T) {
	t.Helper()
	require.NoError(t, os.WriteFile(p.etcdCA, []byte(p.etcd.Output("caCert")), 0o600))
	require.NoError(t, os.WriteFile(p.database.ca, []byte(p.postgres.Output("caCert")), 0o600))
}

// withRelease is the program of DNS with a release from a server of the site's
// own: no image has CoreDNS, and machines of the sandbox have no way out.
func withRelease(t *testing.T) string {
	t.Helper()
	built, err := exec.Command(filepath.Join(engine.Root(), "tools", "build"), "--no-build", "coredns").Output()
	require.NoError(t, err, "run tools/build coredns")
	url, sum := archive(t, "coredns.tgz", strings.TrimSpace(string(built)), "coredns")
	const install = "      installDependencies: ${installDependencies}\n"
	return stackProgram(t, "dns", install, fmt.Sprintf("      installDependencies: true\n      artifacts: {coredns: {url: %q, sha256: %q}}\n", url, sum))
}

func testBoot(t *testing.T, p platform) {
	for _, machine := range p.machines() {
		done(t, machine)
	}
	settled(t)
}

func testPlatformUnchanged(t *testing.T, p platform) {
	for _, s := range []*engine.Stack{p.etcd, p.dns, p.postgres} {
		assert.Empty(t, s.Up().Ops(""))
	}
}

func testDestroyed(t *testing.T, p platform) {
	for _, s := range []*engine.Stack{p.app, p.postgres, p.dns, p.etcd} {
		s.Destroy()
	}
	for _, machine := range p.machines() {
		assert.NotContains(t, machines(t), machine)
	}
}

// machines are all there are of the platform.
func (p platform) machines() []string {
	return slices.Concat(members, []string{"dns-1", loadBalancer, secondBalancer}, nodes)
}
