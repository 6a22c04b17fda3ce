// Command health waits until the members of an etcd cluster are healthy, and
// shows what etcd itself says of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/outputs"
)

func main() {
	file := flag.String("outputs", "", "file with the outputs of the stack, as JSON")
	wait := flag.Duration("wait", 20*time.Minute, "how long to wait")
	flag.Parse()
	if err := run(*file, *wait); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string, wait time.Duration) error {
	o, err := outputs.Read(file)
	if err != nil {
		return err
	}
	client, err := o.Client()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	start, shown := time.Now(), time.Time{}
	for {
		members, healthy := look(client, o.Endpoints)
		if healthy {
			return show(client, members, time.Since(start))
		}
		if time.Since(start) > wait {
			return fmt.Errorf("not healthy after %s: %s", wait, summary(members))
		}
		if time.Since(shown) >= 10*time.Second {
			fmt.Printf("%4.0f s  %s\n", time.Since(start).Seconds(), summary(members))
			shown = time.Now()
		}
		time.Sleep(2 * time.Second)
	}
}

// member is what etcd says of one of its members.
type member struct {
	endpoint string
	status   *clientv3.StatusResponse
	trouble  string
}

// look asks each member, and whether authentication is on.
func look(client *clientv3.Client, endpoints []string) (members []member, healthy bool) {
	healthy = true
	for _, endpoint := range endpoints {
		m := ask(client, endpoint)
		healthy = healthy && m.trouble == ""
		members = append(members, m)
	}
	if !healthy {
		return members, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	auth, err := client.AuthStatus(ctx)
	if status.Code(err) == codes.Unimplemented { // etcd 3.4 does not say
		return members, healthy
	}
	if err != nil || !auth.Enabled {
		members[0].trouble, healthy = "authentication is not on yet", false
	}
	return members, healthy
}

func ask(client *clientv3.Client, endpoint string) member {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	status, err := client.Status(ctx, endpoint)
	switch {
	case err != nil:
		return member{endpoint, nil, "does not answer yet"}
	case status.Leader == 0:
		return member{endpoint, status, "has no leader yet"}
	case len(status.Errors) > 0:
		return member{endpoint, status, strings.Join(status.Errors, ", ")}
	}
	return member{endpoint, status, ""}
}

func summary(members []member) string {
	var all []string
	for _, m := range members {
		if m.trouble == "" {
			m.trouble = "is healthy"
		}
		all = append(all, m.endpoint+" "+m.trouble)
	}
	return strings.Join(all, "; ")
}

// show prints a line for each member.
func show(client *clientv3.Client, members []member, took time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	list, err := client.MemberList(ctx)
	if err != nil {
		return fmt.Errorf("list the members: %w", err)
	}
	names := map[uint64]string{}
	for _, m := range list.Members {
		names[m.ID] = m.Name
	}
	fmt.Printf("all members are healthy, and authentication is on (%.0f s)\n\n", took.Seconds())
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MEMBER\tENDPOINT\tHEALTH\tROLE\tVERSION\tDATABASE")
	for _, m := range members {
		role := "follower"
		if m.status.Leader == m.status.Header.MemberId {
			role = "leader"
		}
		fmt.Fprintf(w, "%s\t%s\thealthy\t%s\t%s\t%d KiB\n", names[m.status.Header.MemberId], m.endpoint, role, m.status.Version, m.status.DbSize/1024)
	}
	return w.Flush()
}
