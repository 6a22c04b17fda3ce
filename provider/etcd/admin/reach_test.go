package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// healthOf is the state of a last gate of a cluster.
func healthOf(id string, ips ...string) HealthState {
	all, yes, cert := All, true, "certificate"
	a := HealthArgs{Require: &all, RemoveOthers: &yes, Etcd: host.EtcdConnection{ClientCert: &cert, ClientKey: &cert}}
	for _, ip := range ips {
		a.Members = append(a.Members, HealthMember{IP: ip})
	}
	s := a.state()
	s.ClusterID = id
	return s
}

func TestHowToReach(t *testing.T) {
	t.Parallel()
	founded := healthOf("aa", "10.0.0.11", "fd00::12")
	assert.Equal(t, "How to reach the cluster:\n"+
		"  etcdctl --endpoints 10.0.0.11:2379,[fd00::12]:2379 --cacert ca.crt --cert root.crt --key root.key endpoint health\n"+
		"ca.crt, root.crt and root.key are the outputs caCert, rootCert and rootKey of the cluster: `pulumi stack output NAME --show-secrets`, where the program has them as outputs of the stack.",
		founded.howToReach(nil))

	byPassword, secret := founded, "p4ssw0rd"
	byPassword.Etcd = host.EtcdConnection{Username: &secret, Password: &secret}
	assert.Contains(t, byPassword.howToReach(nil), " --cacert ca.crt --user root endpoint health\n")
	assert.Contains(t, byPassword.howToReach(nil), "rootPassword")
	assert.NotContains(t, byPassword.howToReach(nil), secret)

	for name, before := range map[string]HealthState{"not founded": healthOf("", "10.0.0.11", "fd00::12"), "another": healthOf("bb", "10.0.0.11", "fd00::12"), "moved": healthOf("aa", "10.0.0.11", "fd00::13"), "grown": healthOf("aa", "10.0.0.11")} {
		assert.NotEmpty(t, founded.howToReach(&before), name)
	}
	same := healthOf("aa", "fd00::12", "10.0.0.11")
	assert.Empty(t, founded.howToReach(&same), "it was said before")
	assert.Empty(t, healthOf("").howToReach(nil), "nothing was seen")

	quorum, etcd1, no := Quorum, "etcd-1", false
	for name, change := range map[string]func(*HealthState){
		"plan": func(s *HealthState) { s.Require = &quorum }, "without": func(s *HealthState) { s.Without = &etcd1 }, "of a program": func(s *HealthState) { s.RemoveOthers = &no },
	} {
		other := founded
		change(&other)
		assert.Empty(t, other.howToReach(nil), name)
	}
}
