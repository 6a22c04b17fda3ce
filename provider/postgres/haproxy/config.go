// Package haproxy configures a machine as the load balancer of a PostgreSQL
// cluster under Patroni.
//
// A Config says where the nodes are; State gives the packages, files and
// services that make a machine so. Nothing here talks to Pulumi or to a network.
package haproxy

import "github.com/pulumi-quorum/pulumi-quorum/provider/ports"

// Config describes one load balancer.
type Config struct {
	IPs      []string // of the machine
	Haproxy  Settings
	CACert   string    // of the authority of Patroni's API, PEM
	Registry *Registry // where the image comes from, if it is not the distribution's package
	Asked    bool      // whether keepalived asks it if it answers

	ClientCert, ClientKey string // for Patroni's API, PEM, if that wants them; else empty

	PoolerPort int // of the pools on the nodes, 0 if they have none
}

// Settings say which nodes to balance, by their domain or one by one.
type Settings struct {
	PostgresNodesMaxCount *int      `pulumi:"postgresNodesMaxCount,optional"`
	NameserverIPs         []string  `pulumi:"nameserverIps,optional"`
	Domain                *string   `pulumi:"domain,optional"`
	Servers               []string  `pulumi:"servers,optional"`
	Timeouts              *Timeouts `pulumi:"timeouts,optional"`
	MetricsAddress        *string   `pulumi:"metricsAddress,optional"`
}

// Timeouts are HAProxy's, each a number with its unit.
type Timeouts struct {
	Connect *string `pulumi:"connect,optional"`
	Check   *string `pulumi:"check,optional"`
	Idle    *string `pulumi:"idle,optional"`
}

// Registry is a container registry that has an image of HAProxy.
type Registry struct {
	URL      string  `pulumi:"url"`
	Image    *string `pulumi:"image,optional"`
	Username *string `pulumi:"username,optional"`
	Password *string `pulumi:"password,optional" provider:"secret"`
	CACert   *string `pulumi:"caCert,optional"`
}

// The timeouts are those of Patroni's own example. Idle is long, since pools
// keep connections that nobody uses for a while; dead peers are found by TCP.
const (
	defaultConnect = "4s"
	defaultCheck   = "5s"
	defaultIdle    = "30m"
	defaultImage   = "haproxy:3.0"
	mostNodes      = 100 // far above any cluster; HAProxy takes memory for each
)

// withDefaults is t, or what its absence means.
func (t *Timeouts) withDefaults() Timeouts {
	if t != nil {
		return *t
	}
	connect, check, idle := defaultConnect, defaultCheck, defaultIdle
	return Timeouts{Connect: &connect, Check: &check, Idle: &idle}
}

// metrics is the address and port that HAProxy tells about itself on.
func (c Config) metrics() string {
	if a := c.Haproxy.MetricsAddress; a != nil {
		return ports.At(*a, ports.Haproxy)
	}
	return ports.At(c.IPs[0], ports.Haproxy)
}
