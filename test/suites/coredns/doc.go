// Package coredns runs what a CorednsServer puts on its machine with CoreDNS
// itself: the configuration, the zone checker and the mirror of etcd's keys.
package coredns
