// Package keepalived configures a load balancer to share an address with others.
//
// A Config says which address, and who the others are; State gives the packages,
// files and services that make a machine so. Nothing here talks to Pulumi or to a
// network.
package keepalived

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Config describes the keepalived of one load balancer.
type Config struct {
	Name      string // of the machine
	IP        string // of the machine, in the network of the address
	VirtualIP VirtualIP
	Check     []string // the program that tells whether this machine may have the address
}

// VirtualIP is an address that one of several load balancers has, and what keepalived
// needs to agree on which.
type VirtualIP struct {
	Address                 string   `pulumi:"address"`
	VirtualRouterID         *int     `pulumi:"virtualRouterId,optional"`
	AdvertisementIntervalMs *int     `pulumi:"advertisementIntervalMs,optional"`
	UnicastPeers            []string `pulumi:"unicastPeers,optional"`
	Priority                *int     `pulumi:"priority,optional"`
}

const (
	// DefaultInterval is keepalived's own. Others take the address when three advertisements are missing.
	DefaultInterval = 1000

	defaultPriority = 100
	highest         = 254 // 255 is for a machine that has the address as its own

	leastInterval, mostInterval = 100, 10_000
)

// Priority is that of the i-th load balancer of a cluster, for when none has the address.
func Priority(i int) int { return max(200-10*i, 1) }

// RouterID is the virtual router's.
func (v VirtualIP) RouterID() int {
	return orDefault(v.VirtualRouterID, check.VirtualRouter(v.Address))
}

func (v VirtualIP) interval() int { return orDefault(v.AdvertisementIntervalMs, DefaultInterval) }

func (v VirtualIP) priority() int { return orDefault(v.Priority, defaultPriority) }

func orDefault(given *int, otherwise int) int {
	if given == nil {
		return otherwise
	}
	return *given
}

// Owned is what no machine may have, of one whose inputs are at path.
func (v VirtualIP) Owned(path string) []check.Owned {
	return []check.Owned{{Path: check.Join(path, "address"), Kind: check.Addresses, Value: v.Address}}
}

// NotOfNameServers requires the address to be that of no DNS server that machines ask. Of several that are one, the
// first counts.
func NotOfNameServers(owned, asked []check.Owned) check.List {
	var l, first check.List
	l.NotTaken([][]check.Owned{nil, owned}, [][]check.Owned{asked, nil})
	for _, p := range l {
		first.First(check.List{p})
	}
	return first
}
