package fromterraform

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type object = map[string]any

// documentsOf are of machines of each role, with one value wherever a text may be.
func documentsOf(v string) []object {
	file := func(path string, content any) object {
		text, is := content.(string)
		if !is {
			b, _ := json.Marshal(content) // JSON is YAML
			text = string(b)
		}
		return object{"path": path, "content": text}
	}
	return []object{
		file("/etc/etcd/conf.yml", object{
			"name": v, "initial-cluster": "a=https://10.0.0.1:2380," + v + "=https://10.0.0.2:2380", "initial-cluster-token": v, "advertise-client-urls": "https://10.0.0.1:2379",
			"quota-backend-bytes": v, "auto-compaction-mode": v, "auto-compaction-retention": v, "heartbeat-interval": v, "client-transport-security": object{"client-cert-auth": v},
		}),
		file("/etc/patroni/conf.yml", object{
			"scope": v, "namespace": v, "name": v, "etcd3": object{"hosts": []string{v}, "username": v, "password": v},
			"bootstrap":  object{"dcs": object{"ttl": v, "synchronous_mode": true, "synchronous_node_count": v, "postgresql": object{"parameters": object{v: v, "fn::readFile": v, "work_mem": v}}}},
			"postgresql": object{"bin_dir": "/usr/lib/postgresql/" + v, "pg_hba": []string{v}, "authentication": object{"superuser": object{"username": v, "password": v}}}, "watchdog": object{"mode": v, "safety_margin": v},
		}),
		file("/opt/haproxy/haproxy.cfg", "timeout client "+v+"\nserver-template x "+v+" "+v+":5432\nnameserver x "+v+":53\n"),
		file("/etc/coredns/Corefile", "reload "+v+"\nalternate "+v+"\nforward "+v+" "+v+"\ncache "+v+" "+v+"\nprefetch "+v+" "+v+"\n"),
		file("/opt/chrony.conf", "server "+v+" "+v+"\npool "+v+"\nmakestep "+v+" "+v+"\n"),
		file("/opt/bootstrap_auth.sh", `--new-user-password="`+v+`"`),
	}
}

var strange = []string{
	"${etcd.caCert}", "$${x}", "$", "$$", "${", "fn::readFile", "a: b", "- a", "# a", "a #b", "'", `"`, "\t", "\ta", "a\n  b: c", "a\rb", "\n", " ", " a ", "\u0085", "\u2028", "\ufeff", "\x00", "\x1b[31m",
	"\xff\xfe", "yes", "null", "~", "0123", "08", "NaN", "1e9", "-1", "99999999999999999999", "18446744073709551616", "[a]", "{a: b}", "*a", "&a b", "!!binary x", "%a", "@a", "`a`", "|", ">", "---", "...", "? a",
	"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "-----BEGIN a\t\n \n b", "<<", strings.Repeat("a", 5000), "a/../../b", "é", "\U0001f600",
}

// FuzzValues takes anything for a text in documents that are well-formed.
func FuzzValues(f *testing.F) {
	for _, s := range strange {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, v string) {
		if strings.Contains(v, "PRIVATE KEY") {
			return
		}
		all := documentsOf(v)
		for _, role := range all[:4] {
			text, err := json.Marshal(object{"write_files": append([]object{role}, all[4:]...), "chpasswd": object{"users": []object{{"name": v, "password": v, "type": "text"}}}})
			require.NoError(t, err)
			machine := machineWith(v, "#cloud-config\n"+string(text))
			if _, err = Convert(v, machine); err != nil { // YAML has no such characters
				require.ErrorContains(t, err, "no machine of the five modules")
			}
			wellFormed(t, machine)
		}
	})
}
