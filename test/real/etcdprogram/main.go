// Etcdprogram is etcd as a program of its own, for tests of what starts it:
//
//	etcdprogram --config-file FILE
//
// As etcd does, it says to systemd when it is ready, and ends in order when it
// is told to.
package main

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	if err := run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string) error {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	config, err := embed.ConfigFromFile(file)
	if err != nil {
		return err
	}
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer etcd.Close()
	select {
	case <-etcd.Server.ReadyNotify():
	case <-end:
		return nil
	case err := <-etcd.Err():
		return err
	}
	if err := tellReady(os.Getenv("NOTIFY_SOCKET")); err != nil {
		return err
	}
	<-end
	return nil
}

// tellReady says to systemd, if it is there, that etcd is ready.
func tellReady(socket string) error {
	if socket == "" {
		return nil
	}
	systemd, err := net.Dial("unixgram", socket)
	if err != nil {
		return err
	}
	defer systemd.Close()
	_, err = systemd.Write([]byte("READY=1"))
	return err
}
