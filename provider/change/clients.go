package change

import (
	"fmt"
	"slices"
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
		return []string{fmt.Sprintf("Its ports %d and %d stay. It looks for pools at port %s of the nodes instead of %s: until the pools of the nodes are at that port, its clients reach none.", ports.Pooler, ports.PoolerReplica, is, was)}
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
	old, next := addressOf(was, "the former address"), addressOf(is, "the new address")
	gone := "Clients at " + old + " are cut off as load balancers change, and reach nobody there after the last one."
	switch {
	case was == is && was.given && routerOf(c.before) != routerOf(c.now) && (!c.cluster || len(c.balancers) > 1):
		return []string{"A load balancer that has changed, and one that has not, do not know each other: both may have " + old + " until the last one has changed. Clients are cut off where it moves."}
	case was == is:
		return nil
	case !c.cluster:
		return ofOwnVirtualIP(was, is, old, next)
	case !was.given:
		return []string{"Clients reach the cluster at " + next + " too, from the change of the first load balancer on. The load balancers' own addresses stay."}
	case !is.given && len(c.balancers) == 0: // they go as well, which is told
		return nil
	case !is.given:
		return append([]string{gone + " Give clients the load balancers' own addresses first."}, c.unnamed(old, "no longer have certificates")...)
	}
	return append([]string{gone + " From the change of the first one on, " + next + " answers."}, c.unnamed(old, "have certificates for "+next+", and no longer")...)
}

// routerOf is the virtual router's id.
func routerOf(s settings) string {
	if id := s.at("virtualIp.virtualRouterId"); id.given {
		return id.text
	}
	return strconv.Itoa(check.VirtualRouter(s.at("virtualIp.address").text))
}

// unnamed says that certificates of nodes have the former address no longer, sooner than load balancers give it up.
func (c clients) unnamed(old, certificates string) []string {
	const names = "certificate.extraIps"
	for path, text := range c.now.plain {
		if check.Within(path, names) && slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[], ", r) }), old) {
			return nil
		}
	}
	return []string{"Nodes change before, and then " + certificates + " for " + old + ": clients there that verify names (sslmode=verify-full) refuse a leader that has changed."}
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
