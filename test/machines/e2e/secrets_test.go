//go:build e2e

package e2e

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// traces lists where a machine has a secret besides files that only their owner may read: other
// files, arguments of processes, environments, the journal and what exporters tell. The secret
// is in a file, since it would find itself among the arguments. etcdctl takes its password
// from its environment, which its user and root can read.
const traces = `
has() { grep -qaF -f /run/wanted; }
grep -rlsF -D skip -f /run/wanted /boot /etc /home /media /mnt /opt /root /run /srv /tmp /var | while read -r file; do
	case $(stat -c %a "$file") in *00) ;; *) stat -c 'file %n, %a of %U' "$file" ;; esac
done
for process in /proc/[0-9]*; do
	has <"$process/cmdline" && echo "arguments of $(cat "$process/comm")"
	[ "$(cat "$process/comm")" = etcdctl ] || if has <"$process/environ"; then echo "environment of $(cat "$process/comm")"; fi
done 2>/dev/null
journalctl --no-pager --output=export | has && echo journal
for address in $(ss -Hltn | awk '{print $4}' | grep -E ':(9100|9153|8404|8080|2020|2379)$'); do
	for scheme in http https; do curl --silent --insecure --max-time 5 "$scheme://$address/metrics" | has && echo "metrics of $address"; done
done
rm /run/wanted`

// forgotten waits until a machine has no copy of what it was handed, but for its drive.
func forgotten(t *testing.T, machine string) {
	t.Helper()
	const copies = `find /var/lib/quorum/drive/state.json /var/lib/quorum/previous 2>/dev/null
grep -rlsF -D skip /var/lib/quorum/drive/state.json /var/lib/cloud/instances /run`
	wait(t, "no copies", func() error {
		if found := on(t, machine, "sh", "-c", copies+" || true"); found != "" {
			return errors.New(found)
		}
		return nil
	})
}

// testSecrets looks for each secret of the platform on each of its machines.
func testSecrets(t *testing.T, p platform) {
	secrets := map[string]string{
		"root's password":             p.etcd.Output("rootPassword"),
		"the DNS server's password":   corednsPassword,
		"Patroni's password for etcd": patroniConf(t).Etcd3.Password,
		"postgres's password":         p.postgres.Output("superuserPassword"),
		"replicator's password":       p.postgres.Output("replicatorPassword"),
	}
	for machine, path := range map[string]string{
		members[0]: "/etc/etcd/tls/server.key", nodes[0]: "/etc/patroni/tls/client.key", nodes[1]: "/etc/patroni/tls/server.key",
	} {
		lines := strings.Split(on(t, machine, "cat", path), "\n")
		require.Greater(t, len(lines), 2)
		secrets["the key "+path+" of "+machine] = lines[1]
	}
	look := func(machine, secret string) string {
		on(t, machine, "sh", "-c", `umask 077 && printf '%s\n' "$0" >/run/wanted`, secret)
		return on(t, machine, "sh", "-c", traces)
	}
	for _, machine := range p.machines() {
		forgotten(t, machine)
		console, err := hardware.do("console", machine)
		require.NoError(t, err)
		require.NotEmpty(t, console, machine)
		for name, secret := range secrets {
			assert.NotContains(t, console, secret, "%s on the console of %s", name, machine)
			assert.Empty(t, look(machine, secret), "%s on %s", name, machine)
		}
	}
	on(t, members[1], "sh", "-c", `echo 'not so secret' >/tmp/loose && logger --id=$$ 'not so secret' && systemd-run --quiet --unit=loose env LOOSE='not so secret' sh -c 'sleep 600; : not so secret'`)
	found := look(members[1], "not so secret")
	on(t, members[1], "sh", "-c", "rm /tmp/loose && systemctl stop loose")
	for _, trace := range []string{"file /tmp/loose, 644 of root", "arguments of sh", "environment of sleep", "journal"} {
		assert.Contains(t, found, trace, "what is there is found")
	}
}

// patroniConfig are the secrets of a node's configuration.
type patroniConfig struct {
	Etcd3      struct{ Username, Password string }
	Postgresql struct {
		Authentication map[string]struct{ Password string }
	}
}

func patroniConf(t *testing.T) (conf patroniConfig) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(on(t, nodes[0], "cat", "/etc/patroni/conf.yml")), &conf))
	return conf
}
