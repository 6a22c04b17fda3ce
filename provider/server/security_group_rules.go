package server

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-openstack/sdk/v5/go/openstack/networking"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Ping is ICMP, among ports.
const Ping = 0

// SecurityGroupRules are the rules of security groups.
type SecurityGroupRules struct {
	ctx  *pulumi.Context
	name string
	opts []pulumi.ResourceOption
}

// NewSecurityGroupRules are those that are children of a component.
func NewSecurityGroupRules(ctx *pulumi.Context, name string, opts []pulumi.ResourceOption) SecurityGroupRules {
	return SecurityGroupRules{ctx, name, opts}
}

// Source is what a rule lets in: by the version of IP, the remote end of a rule.
type Source map[string]networking.SecGroupRuleArgs

func Group(id pulumi.StringInput) Source {
	remote := networking.SecGroupRuleArgs{RemoteGroupId: id.ToStringOutput().ToStringPtrOutput()}
	return Source{"IPv4": remote, "IPv6": remote}
}

func Network(given pulumi.StringInput, plain string) Source {
	version := "IPv4"
	if strings.Contains(plain, ":") {
		version = "IPv6"
	}
	return Source{version: {RemoteIpPrefix: given.ToStringOutput().ToStringPtrOutput()}}
}

var Anywhere = Source{"IPv4": {RemoteIpPrefix: pulumi.String("0.0.0.0/0")}, "IPv6": {RemoteIpPrefix: pulumi.String("::/0")}}

// Out lets everything out of a group.
func (d SecurityGroupRules) Out(name string, id pulumi.StringInput) error {
	return d.open(name+"-out", id, "egress", Source{"IPv4": {}, "IPv6": {}}, nil)
}

// In lets a source in to ports of a group.
func (d SecurityGroupRules) In(name string, id pulumi.StringInput, from string, source Source, ports ...int) error {
	for _, port := range ports {
		what := fmt.Sprintf("%s-%d-from-%s", name, port, from)
		if port == Ping {
			what = name + "-icmp-from-" + from
		}
		if err := d.open(what, id, "ingress", source, &port); err != nil {
			return err
		}
	}
	return nil
}

// Listed is in for each source of a list.
func (d SecurityGroupRules) Listed(from string, id pulumi.StringInput, n int, source func(int) Source, ports ...int) error {
	for i := range n {
		if err := d.In("member", id, fmt.Sprintf("%s-%d", from, i), source(i), ports...); err != nil {
			return err
		}
	}
	return nil
}

func (d SecurityGroupRules) open(what string, id pulumi.StringInput, direction string, source Source, port *int) error {
	for _, version := range []string{"IPv4", "IPv6"} {
		rule, has := source[version]
		if !has {
			continue
		}
		rule.SecurityGroupId, rule.Direction, rule.Ethertype = id, pulumi.String(direction), pulumi.String(version)
		switch {
		case port == nil:
		case *port == Ping:
			rule.Protocol = pulumi.String(map[string]string{"IPv4": "icmp", "IPv6": "ipv6-icmp"}[version])
		default:
			rule.Protocol, rule.PortRangeMin, rule.PortRangeMax = pulumi.String("tcp"), pulumi.Int(*port), pulumi.Int(*port)
		}
		name := fmt.Sprintf("%s-%s-%s", d.name, what, strings.ToLower(version))
		if _, err := networking.NewSecGroupRule(d.ctx, name, &rule, d.opts...); err != nil {
			return err
		}
	}
	return nil
}
