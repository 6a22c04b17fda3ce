package change

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// clients are those of a cluster, or of a machine outside of one: what they notice of settings that say where they
// connect to, which no restart tells.
type clients struct {
	before, now settings
	cluster     bool
	balancers   []string // of the cluster, which change after its nodes
}

// notice says it, before the update.
func (c clients) notice() (lines []string) {
	if !c.before.are() {
		return nil
	}
	lines = append(lines, c.ofPool()...)
	return append(lines, c.ofVirtualIP()...)
}

// ofPool is of the port of a pool that was there before, and stays.
func (c clients) ofPool() []string {
	if was, is, moves := c.moves("pooler", "pooler.port"); moves {
		lines := []string{fmt.Sprintf("The pool of each node moves from port %s to %s: its clients are cut off when the node changes, and those that connect to nodes need the other port.", was, is)}
		switch {
		case !c.cluster:
			lines = []string{fmt.Sprintf("The pool moves from port %s to %s: its clients are cut off, and need the other port. Load balancers need it as poolerPort.", was, is)}
		case len(c.balancers) > 0:
			lines = append(lines, fmt.Sprintf("Ports %d and %d of %s stay. They look for pools at the former port until they change, after all nodes: their clients reach no pool of a node that has changed until then, and so none of the primary once that has.",
				ports.Pooler, ports.PoolerReplica, few(c.balancers)))
		}
		return lines
	}
	if was, is, moves := c.moves("poolerPort", "poolerPort"); moves {
		return []string{fmt.Sprintf("Its ports %d and %d stay. It looks for pools at port %s of the nodes instead of %s: its clients reach those that are at that port when it changes.", ports.Pooler, ports.PoolerReplica, is, was)}
	}
	return nil
}

// moves are the ports that a pool had and has, if they differ.
func (c clients) moves(pool, port string) (was, is string, moves bool) {
	if !c.before.has(pool) || !c.now.has(pool) || c.now.at(pool).isUnknown() {
		return "", "", false
	}
	was, is = portOf(c.before.at(port)), portOf(c.now.at(port))
	return was, is, was != is
}

func portOf(v value) string {
	switch {
	case !v.given:
		return strconv.Itoa(ports.Pooler)
	case v.secret, v.isUnknown():
		return "another one"
	}
	return v.text
}

// ofVirtualIP is of the address that moves.
func (c clients) ofVirtualIP() []string {
	const path = "virtualIp.address"
	was, is := c.before.at(path), c.now.at(path)
	if c.now.at("virtualIp").isUnknown() {
		return nil
	}
	router := "virtualIp.virtualRouterId"
	old, next := addressOf(was, "the former address"), addressOf(is, "the new address")
	gone := "Clients at " + old + " are cut off as load balancers change, and reach nobody there after the last one."
	switch {
	case was == is && was.given && c.before.at(router) != c.now.at(router):
		return []string{"A load balancer that has changed, and one that has not, do not know each other: both may have " + old + " until the last one has changed. Clients are cut off where it moves."}
	case was == is:
		return nil
	case !c.cluster:
		return ofOwnVirtualIP(was, is, old, next)
	case !was.given:
		return []string{"Clients reach the cluster at " + next + " too, from the change of the first load balancer on. The load balancers' own addresses stay."}
	case !is.given:
		return append([]string{gone + " The load balancers' own addresses stay: give clients these first."}, c.unnamed(old, "no longer certificates")...)
	}
	return append([]string{gone + " From the change of the first one on, " + next + " answers."}, c.unnamed(old, "certificates for "+next+", and no longer")...)
}

// unnamed says that certificates of nodes have the former address no longer, sooner than load balancers give it up.
func (c clients) unnamed(old, certificates string) []string {
	const names = "certificate.extraIps"
	for path, text := range c.now.plain {
		if check.Within(path, names) && strings.Contains(path+" "+text, old) {
			return nil
		}
	}
	return []string{"Nodes change before, and then have " + certificates + " for " + old + ": clients there that verify names (sslmode=verify-full) refuse a leader that has changed."}
}

// ofOwnVirtualIP is the same of a load balancer outside of a cluster, which may have the address or not.
func ofOwnVirtualIP(was, is value, old, next string) []string {
	gives := "It gives up " + old + ", if it has that: clients there are cut off"
	takes := "takes " + next + ", unless another load balancer has it"
	switch {
	case !was.given:
		return []string{"It " + takes + ". Its own address stays."}
	case !is.given:
		return []string{gives + ", and reach another load balancer that shares the address, or nobody. Its own address stays."}
	}
	return []string{gives + ". It " + takes + "."}
}

func addressOf(v value, otherwise string) string {
	if v.secret || v.text == "" {
		return otherwise
	}
	return v.text
}
