// Package coredns configures a machine as a DNS server that serves zones kept
// in etcd.
//
// A Config says what the server is; State gives the packages, files and
// services that make a machine so: CoreDNS itself, and an agent that keeps its
// zone files as etcd has them. Nothing here talks to Pulumi or to a network.
package coredns

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Config describes one DNS server.
type Config struct {
	Name      string   // of the machine, which its answers name to those who ask for it
	IPs       []string // of the machine; it answers on all, and is measured on the first
	Etcd      host.EtcdConnection
	KeyPrefix string // what follows it in a key is the origin of a zone
	DNS       DNS
	Artifact  *host.Artifact // where the release comes from, if not from its publisher
}

// DNS says how the server answers.
type DNS struct {
	Version                 *string   `pulumi:"version,optional"`
	ZonefilesReloadInterval *string   `pulumi:"zonefilesReloadInterval,optional"`
	LoadBalanceRecords      *bool     `pulumi:"loadBalanceRecords,optional"`
	AlternateDNSServers     []string  `pulumi:"alternateDnsServers,optional"`
	Forwards                []Forward `pulumi:"forwards,optional"`
	Cache                   *Cache    `pulumi:"cache,optional"`
}

// Forward is a domain that other servers are asked about.
type Forward struct {
	DomainName string   `pulumi:"domainName"`
	DNSServers []string `pulumi:"dnsServers"`
}

// Cache keeps answers for a while.
type Cache struct {
	Domains  []string  `pulumi:"domains,optional"`
	MaxTTL   *int      `pulumi:"maxTtl,optional"`
	Prefetch *Prefetch `pulumi:"prefetch,optional"`
}

// Prefetch renews answers that are asked for often, before they expire.
type Prefetch struct {
	Amount   int     `pulumi:"amount"`
	Duration *string `pulumi:"duration,optional"`
}

const (
	defaultVersion        = "1.14.7"
	defaultReloadInterval = "3s"
	defaultLoadBalance    = true
	defaultMaxTTL         = 3600 // CoreDNS's own
	defaultPrefetch       = "1m" // too

	maxServers = 15 // that CoreDNS takes in one list
)

// WithDefaults is d, or what its absence means.
func (d *DNS) WithDefaults() DNS {
	if d != nil {
		return *d
	}
	version, interval, balance := defaultVersion, defaultReloadInterval, defaultLoadBalance
	return DNS{Version: &version, ZonefilesReloadInterval: &interval, LoadBalanceRecords: &balance}
}
