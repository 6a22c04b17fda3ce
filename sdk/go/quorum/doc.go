// etcd, highly available PostgreSQL, DNS and load balancing on your own virtual machines, without Kubernetes.
package quorum
