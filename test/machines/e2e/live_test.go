//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const sourceAddress = "10.77.0.54" // of source-1, where it is a virtual machine

// oneOfEach is a PostgreSQL cluster of one node and a load balancer, and the etcd that it needs, of one member: as many machines
// as emulation runs within minutes.
func oneOfEach() string {
	text, rest, _ := strings.Cut(withoutS3(backedUp), "        - name: source-2\n")
	_, rest, _ = strings.Cut(rest, "      loadBalancers:\n")
	balancer, _, _ := strings.Cut(rest, "RESTORED\n")
	const where = "            vcpus: 1\n            domainType: ${domainType}\n"
	return strings.NewReplacer(
		"  s3Endpoint: {type: string}\n  s3Ca: {type: string}\n", "  baseVolume: {type: string}\n  domainType: {type: string}\n",
		"base.qcow2", `"${baseVolume}"`, "memory: 1024\n", "memory: 1024\n"+where, "memory: 512\n", "memory: 512\n"+where,
		"10.77.0.52", sourceAddress, "10.77.0.54", "10.77.0.56",
		"      backup: {s3: \"${s3}\"}\n", "",
		"watchdogMode: automatic", "watchdogMode: \"off\", isSynchronous: false",
		"gateway: 10.77.0.1}", "gateway: 10.77.0.1, dnsServers: [10.77.0.1]}",
	).Replace(text + "      loadBalancers:\n" + balancer)
}

// TestLive has what reaches machines that run reach them, under a client that writes: larger data volumes, with their file
// systems, another SSH key and other DNS servers. Disks of containers do not grow.
func TestLive(t *testing.T) {
	if _, isVirtual := hardware.(*virtual); !isVirtual {
		t.Skip("it is about disks of virtual machines: make e2e-vms-live")
	}
	places := map[string]string{"store-1": "/var/lib/etcd", "source-1": "/var/lib/postgresql"}
	s := newStack(t, baked, oneOfEach(), []string{"store-1", "source-1", "source-lb"}, nil)
	b := backups{s, nil}
	b.Up()
	// One session on the machine itself: it ends if a row fails.
	b.sql(t, "source", "CREATE TABLE numbers (n serial PRIMARY KEY, at timestamptz DEFAULT clock_timestamp())")
	on(t, "source-1", "systemd-run", "--unit=writer", "--uid=postgres", "sh", "-c", `echo 'INSERT INTO numbers DEFAULT VALUES \watch 0.2' | exec psql -Xq -v ON_ERROR_STOP=1`)
	rows := func() string { return b.sql(t, "source", "SELECT count(*) FROM numbers") }
	same := func() string {
		var all []string
		for name, service := range map[string]string{"store-1": "etcd", "source-1": "patroni"} {
			all = append(all, name+" "+on(t, name, "cat", "/proc/sys/kernel/random/boot_id")+" "+mainProcess(t, name, service))
		}
		return strings.Join(all, "\n")
	}
	before := same()
	up := func(program string) engine.Result {
		b.Program(program)
		r := b.Up()
		assert.Empty(t, replaced(r))
		return r
	}

	larger := strings.NewReplacer("size: 1073741824}", "size: 2147483648}", "size: 2147483648}", "size: 3221225472}").Replace(oneOfEach())
	assert.Len(t, up(larger).Ops("Volume"), len(places))
	for name, place := range places {
		wait(t, "the file system of "+name, func() error {
			mib := number(t, name, "sh", "-c", "df --output=size --block-size=M '"+place+"' | tail -n 1 | tr -dc 0-9")
			if least := map[string]int64{"store-1": 1900, "source-1": 2850}[name]; mib < least {
				return fmt.Errorf("it has %d MiB", mib)
			}
			return nil
		})
	}
	b.Program(oneOfEach())
	assert.Contains(t, b.PreviewFails().Diagnostics, "a volume is not made smaller")

	ann, annsKey := loginKey(t, "ann")
	others := strings.NewReplacer("${sshPublicKey}", annsKey, "dnsServers: [10.77.0.1]", "dnsServers: [10.77.0.9]").Replace(larger)
	up(others)
	for _, address := range []string{"10.77.0.51", sourceAddress} {
		told, err := logIn(ann, address, "sudo resolvectl dns")
		assert.NoError(t, err)
		assert.Contains(t, told, "10.77.0.9")
		assert.NotRegexp(t, `10\.77\.0\.1\b`, told)
	}
	up(larger)
	for _, address := range []string{"10.77.0.51", sourceAddress} {
		refused(t, ann, address)
	}
	assert.Equal(t, before, same(), "nothing restarted")
	so := rows()
	wait(t, "another row", func() error {
		if rows() == so {
			return errors.New("there is none")
		}
		return nil
	})
	assert.Equal(t, "active", on(t, "source-1", "systemctl", "is-active", "writer"), "no row failed")
	t.Log("meanwhile rows, and the longest time from one to the next: ", b.sql(t, "source", "SELECT count(*), max(took) FROM (SELECT at - lag(at) OVER (ORDER BY n) AS took FROM numbers) AS steps"))
	on(t, "source-1", "systemctl", "stop", "writer")
	assert.Empty(t, b.Up().Ops(""))
	b.Destroy()
}
