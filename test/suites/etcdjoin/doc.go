// Package etcdjoin has tests of how real etcd members found, leave and join a
// cluster, by the program that decides what they start with.
package etcdjoin
