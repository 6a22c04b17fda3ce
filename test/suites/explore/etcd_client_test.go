package explore

import (
	"context"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/numbers"
)

// etcdNumbers are numbers in an etcd cluster.
type etcdNumbers struct {
	numbers.Etcd
	subject *etcdSubject
}

func (n etcdNumbers) able() bool { return n.subject.quorate() }

func (n etcdNumbers) stale() time.Duration { return 0 }

func (n etcdNumbers) answering(context.Context) string { return "etcd" }

// write begins to write, if the stack says how.
func (e *etcdSubject) write() {
	outputs := e.trial.Outputs()
	text := func(name string) string { s, _ := outputs[name].(string); return s }
	cert, key := text("rootCert"), text("rootKey")
	if cert == "" || key == "" || !e.quorate() {
		return
	}
	connection := host.EtcdConnection{CACert: text("caCert"), ClientCert: &cert, ClientKey: &key}
	to := etcdNumbers{numbers.InEtcd(e.trial.tb, connection, e.endpoints), e}
	e.writer = startWriter(e.trial.tb, to, 3*time.Second, 50*time.Millisecond)
}

// endpoints are those of all machines that ever were.
func (e *etcdSubject) endpoints() (all []string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	for _, address := range e.addresses {
		all = append(all, address+":2379")
	}
	return all
}
