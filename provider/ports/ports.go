// Package ports has the TCP ports of what runs on machines.
package ports

import (
	"net"
	"strconv"
)

const (
	SSH = 22
	DNS = 53

	EtcdClient = 2379
	EtcdPeer   = 2380

	Postgres        = 5432
	PostgresReplica = 5433 // of a load balancer
	Pooler          = 6432 // of a node, unless it is given another; and of a load balancer
	PoolerReplica   = 6433 // of a load balancer
	Patroni         = 4443 // that of the Terraform modules, not Patroni's usual 8008

	CorednsHealth = 8080

	// Metrics.
	NodeExporter = 9100
	Haproxy      = 8404
	Coredns      = 9153
	FluentBit    = 2020

	HaproxySocket = 8405 // of HAProxy's runtime API, for the machine itself
)

// At is a port of an address.
func At(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }
