package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHowToReach(t *testing.T) {
	t.Parallel()
	nodes, lists := []Node{{Name: "postgres-1", IP: "10.0.0.31"}, {Name: "postgres-2", IP: "10.0.0.32"}}, []string{"10.0.0.41:5432", "10.0.0.42:5432"}
	balancers := []LoadBalancer{{Endpoint: lists[0], ReplicaEndpoint: "10.0.0.41:5433"}, {Endpoint: lists[1], ReplicaEndpoint: "10.0.0.42:5433"}}
	now := HealthState{SystemID: "1", Nodes: nodes}
	last := func(old HealthState, balancers ...LoadBalancer) *gate {
		return &gate{HealthArgs: HealthArgs{Nodes: nodes, LoadBalancers: balancers, ClientKey: "secret"}, old: old}
	}
	const outputs = " ca.crt is the output caCert of the cluster, and the password of postgres its output superuserPassword: `pulumi stack output NAME --show-secrets`, where the program has them as outputs of the stack. Who may log in, and from where, is postgres.access."
	assert.Equal(t, "How to reach the cluster:\n"+
		`  psql "host=10.0.0.41,10.0.0.42 port=5432 user=USER dbname=DATABASE sslmode=verify-full sslrootcert=ca.crt"`+"\n"+
		"For reads from a standby: port 5433."+outputs, last(HealthState{}, balancers...).howToReach(now, nil))
	assert.Equal(t, "How to reach the cluster:\n"+
		`  psql "host=10.0.0.31,10.0.0.32 port=5432 user=USER dbname=DATABASE target_session_attrs=read-write sslmode=verify-full sslrootcert=ca.crt"`+"\n"+
		"There is no load balancer: the first of the nodes that leads is taken."+outputs, last(HealthState{}).howToReach(now, nil))

	assert.Empty(t, last(now, balancers...).howToReach(now, []string{lists[1], lists[0]}), "it was said before")
	assert.NotEmpty(t, last(now, balancers...).howToReach(now, lists[:1]), "another load balancer")
	assert.NotEmpty(t, last(now).howToReach(now, lists), "no load balancer any more")
	assert.NotEmpty(t, last(HealthState{SystemID: "2", Nodes: nodes}, balancers...).howToReach(now, lists), "another cluster")
	assert.NotEmpty(t, last(HealthState{SystemID: "1"}, balancers...).howToReach(now, lists), "the gate failed before")

	fewer := HealthState{SystemID: "1", Nodes: nodes[:1]}
	assert.Empty(t, last(fewer, balancers...).howToReach(now, lists), "it is reached as before")
	assert.NotEmpty(t, last(fewer).howToReach(now, nil), "another node")

	one, ported := "postgres-1", LoadBalancer{Endpoint: "10.0.0.42:6432", ReplicaEndpoint: "10.0.0.42:5433"}
	assert.Contains(t, last(HealthState{}, balancers[0], ported).howToReach(now, nil), "host=10.0.0.41,10.0.0.42 port=5432,6432 ")
	assert.Empty(t, last(HealthState{}, balancers...).howToReach(HealthState{}, nil), "nothing was seen")
	of := last(HealthState{}, balancers...)
	of.Node = &one
	assert.Empty(t, of.howToReach(now, nil), "it is about one node")
}
