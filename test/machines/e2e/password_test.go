//go:build e2e

package e2e

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// onePassword is a cluster of one member whose users have passwords, and that
// serves HTTP with JSON too.
const onePassword = `
config:
  sshPublicKey: {type: string}
  rootPassword: {type: string}
` + engine.Authority + `  etcd-9:
    type: quorum:EtcdServer
    properties:
      sshAdminPublicKey: ${sshPublicKey}
      installDependencies: false
      libvirt:
        memory: 1024
        volume: {pool: quorum, baseVolumeName: base.qcow2}
        cloudInitVolumePool: quorum
        networks: [{networkName: quorum, ip: 10.77.0.19, prefixLength: 24, gateway: 10.77.0.1}]
      cluster: {initialMembers: [{name: etcd-9, ip: 10.77.0.19}]}
      etcd: {clientCertAuth: false, grpcGatewayEnabled: true}
      auth: {bootstrap: true, rootPassword: {fn::secret: "${rootPassword}"}}
      ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
outputs:
  caCert: ${ca.certPem}
`

func TestPassword(t *testing.T) {
	t.Parallel()
	const first, second = `pa$$'w"#x`, `other\"'%$(id);`
	s := newStack(t, baked, onePassword, []string{"etcd-9"}, map[string]string{"sshPublicKey": engine.SSHKey, "rootPassword": first})
	up := s.Up()
	assert.NotContains(t, up.Stdout+up.Stderr+s.Export(), "pa$$") // what comes after is quoted in JSON
	ca := secretFile(t, "ca.crt", s.Output("caCert"))
	root := func(password string) client {
		return newClient("10.77.0.19:2379", ca, "--user=root", "--password="+password)
	}
	waitForAuth(t, "etcd-9")
	root(first).run(t, "put", "greeting", "hello")
	root("wrong").refused(t, "authentication failed, invalid user ID or password")
	newClient("10.77.0.19:2379", ca).refused(t, "user name is empty")
	assert.Empty(t, s.Up().Ops(""))

	token, _ := gateway(t, ca, "", "auth/authenticate", map[string]string{"name": "root", "password": first})["token"].(string)
	require.NotEmpty(t, token)
	greeting := map[string]string{"key": base64.StdEncoding.EncodeToString([]byte("greeting"))}
	assert.Equal(t, "1", gateway(t, ca, token, "kv/range", greeting)["count"])
	assert.Contains(t, fmt.Sprint(gateway(t, ca, "", "kv/range", greeting)), "user name is empty")
	keepsSecrets(t, "etcd-9", "pa$$", "/etc/etcd/root-password")

	_, _, err := s.Run("config", "set", "--secret", "rootPassword", second)
	require.NoError(t, err)
	s.Up()
	wait(t, "the new password", func() error {
		out, err := root(second).try("get", "greeting", "--print-value-only")
		if err == nil && out != "hello" {
			err = errors.New(out)
		}
		return err
	})
	root(first).refused(t, "authentication failed, invalid user ID or password")
	s.Destroy()
	assert.NotContains(t, machines(t), "etcd-9")
}

// gateway calls a method of etcd's HTTP API.
func gateway(t *testing.T, ca, token, method string, body map[string]string) map[string]any {
	t.Helper()
	request, err := json.Marshal(body)
	require.NoError(t, err)
	out := must(t, "shell", "curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", "20", "--cacert", ca,
		"--header", "Authorization: "+token, "--data", string(request), "https://10.77.0.19:2379/v3/"+method)
	var answer map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &answer), out)
	return answer
}
