package provider

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPostgresServerUnknowns previews a node whose inputs come from resources
// that are not there yet, as from an etcd of the same update.
func TestPostgresServerUnknowns(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{
		"tls": `
tls: {caCert: !unknown "", serverCert: !unknown "", serverKey: !unknown "", clientCert: !unknown "", clientKey: !unknown ""}`,
		"ca": `
tls: null
ca: {cert: !unknown "", key: !unknown ""}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := merge(postgresServer.inputs(t, "minimal-tls"), readInputs(t, `
postgres: {superuserPassword: !unknown "", params: {work_mem: !unknown ""}}
patroni: {scope: !unknown "", ttl: !unknown ""}
etcd: {endpoints: !unknown "", caCert: !unknown "", password: !unknown ""}
libvirt:
  networks: [{networkName: default, ip: !unknown "", prefixLength: 24}]`+more))
			_, resp, err := construct(t, postgresServer, in, true)
			require.NoError(t, err)
			for _, output := range []string{"ip", "endpoint", "apiEndpoint", "caCert"} {
				v, has := resp.State.GetOk(output)
				require.Truef(t, has && v.IsComputed(), "%s is %v", output, v)
			}
		})
	}
}
