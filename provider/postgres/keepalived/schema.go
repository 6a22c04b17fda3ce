package keepalived

import "github.com/pulumi/pulumi-go-provider/infer"

var _ infer.Annotated = (*VirtualIP)(nil)

// What the inputs of a load balancer and of a cluster have in common.
const (
	AboutVirtualIP = "An address that one of several load balancers has: keepalived moves it to another when HAProxy does not answer, or the machine is gone."
	AboutAddress   = "The address, IPv4 or IPv6: in a network of the load balancers, and of no machine. Not in a range that DHCP gives out. It must be among the names of the nodes' certificates."
	AboutRouterID  = "VRRP's virtual router id, from 1 to 255: keepalived's `virtual_router_id`. Load balancers that share an address have the same; no other routers in their network may have it. Defaults to the last byte of `address`, or to 255 if that is 0."
	AboutInterval  = "Time between two advertisements, in milliseconds: keepalived's `advert_int`. From 100 to 10000, in steps of 10. When three are missing, another load balancer takes the address."
)

// Annotate describes v.
func (v *VirtualIP) Annotate(a infer.Annotator) {
	a.SetToken("index", "VirtualIp")
	a.Describe(&v, AboutVirtualIP)
	a.Describe(&v.Address, AboutAddress)
	a.Describe(&v.VirtualRouterID, AboutRouterID)
	a.Describe(&v.AdvertisementIntervalMs, AboutInterval)
	a.SetDefault(&v.AdvertisementIntervalMs, DefaultInterval)
	a.Describe(&v.UnicastPeers, "Addresses of the other load balancers that share `address`, in the same network: keepalived's `unicast_peer`. Only they may take part. Without them this machine alone has the address.")
	a.Describe(&v.Priority, "Who takes the address when none has it: the machine with the highest of 1 to 254, keepalived's `priority`. A machine that comes back does not take the address from another that has it.")
	a.SetDefault(&v.Priority, defaultPriority)
}
