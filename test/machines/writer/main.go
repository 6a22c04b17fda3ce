// Command writer writes numbers to an etcd cluster, each under a key of its own
// and one after the other, until it gets SIGTERM. It tries each again until etcd
// acknowledges it, as applications do. In the end it looks for all of them, and
// says as JSON how it went.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/outputs"
)

const (
	pause   = 50 * time.Millisecond // between writes
	attempt = 2 * time.Second       // until a write is tried again
	limit   = 2 * time.Minute       // until it has failed
)

// report is how it went.
type report struct {
	Acknowledged int           `json:"acknowledged"`
	Failed       int           `json:"failed"`     // writes that etcd did not acknowledge in time
	Retries      int           `json:"retries"`    // attempts that failed
	LongestGap   time.Duration `json:"longestGap"` // from one acknowledgement to the next, in nanoseconds
	Lost         []int         `json:"lost"`       // numbers that were acknowledged and are not there
}

func main() {
	file := flag.String("outputs", "", "file with the outputs of the stack, as JSON")
	prefix := flag.String("prefix", "numbers/", "what the keys begin with")
	flag.Parse()
	if err := run(*file, *prefix); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file, prefix string) error {
	o, err := outputs.Read(file)
	if err != nil {
		return err
	}
	client, err := o.Client()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	r := report{Lost: []int{}}
	acknowledged := r.write(client, prefix, stop.Done())
	if err := r.look(client, prefix, acknowledged); err != nil {
		return fmt.Errorf("look for the numbers: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// write writes until it is to stop, and gives the numbers that were acknowledged.
func (r *report) write(client *clientv3.Client, prefix string, stop <-chan struct{}) (acknowledged []int) {
	last := time.Now()
	for number := 1; ; number++ {
		if r.put(client, prefix+strconv.Itoa(number)) {
			acknowledged = append(acknowledged, number)
			r.Acknowledged++
			now := time.Now()
			r.LongestGap, last = max(r.LongestGap, now.Sub(last)), now
		} else {
			r.Failed++
		}
		select {
		case <-stop:
			return acknowledged
		case <-time.After(pause):
		}
	}
}

func (r *report) put(client *clientv3.Client, key string) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(pause) {
		ctx, cancel := context.WithTimeout(context.Background(), attempt)
		_, err := client.Put(ctx, key, "")
		cancel()
		if err == nil {
			return true
		}
		r.Retries++
	}
	return false
}

// look finds out which of the numbers are lost.
func (r *report) look(client *clientv3.Client, prefix string, acknowledged []int) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	answer, err := client.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	for err != nil && ctx.Err() == nil {
		answer, err = client.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	}
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, kv := range answer.Kvs {
		there[string(kv.Key)] = true
	}
	for _, number := range acknowledged {
		if !there[prefix+strconv.Itoa(number)] {
			r.Lost = append(r.Lost, number)
		}
	}
	return nil
}
