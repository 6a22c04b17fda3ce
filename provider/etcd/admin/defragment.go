package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

const (
	// oneDefragment bounds the defragmentation of a member, which copies its
	// database: at most 8 GiB, on a slow disk.
	oneDefragment = 20 * time.Minute

	// compacting is how long a full database may take to get free space by itself:
	// etcd compacts the history of revisions every five minutes.
	compacting = 6 * time.Minute

	// mostBehind is how many changes a member may be behind the others when one is
	// defragmented: one that needs a snapshot is much further behind.
	mostBehind = 1000
)

// upkeep makes room in the databases of a cluster whose members are all
// healthy: it defragments them, the leader last, if that is requested or gives
// a full one room; and disarms NOSPACE when there is room.
type upkeep struct {
	HealthArgs
	asked bool // whether to defragment all of them
	root  *rootLogin
	watch func(context.Context, func(context.Context, view) (missing string, err error)) error

	tried   map[uint64]bool // the members that were defragmented
	fullFor time.Time       // since when it waits for a full database
}

// newDefragment reports whether Defragment has a value for which the members
// were not defragmented yet.
func (a HealthArgs) newDefragment(before *HealthState) bool {
	return ptr.Value(a.Defragment) != "" && (before == nil || ptr.Value(before.Defragment) != *a.Defragment)
}

// do defragments one member after the other, each while all others are healthy.
func (t *upkeep) do(ctx context.Context) error {
	t.tried = map[uint64]bool{}
	for {
		var due *fullness
		err := t.watch(ctx, func(ctx context.Context, v view) (missing string, err error) {
			if missing, err = t.next(ctx, v); missing == "" && err == nil {
				due, missing, err = t.due(ctx, v)
			}
			return missing, err
		})
		if ended := (wait.EndedError{}); errors.As(err, &ended) && !t.fullFor.IsZero() {
			return errors.New(ended.Error()) // it says itself what to do
		}
		if err != nil || due == nil {
			return err
		}
		if err := t.defragment(ctx, *due); err != nil {
			return err
		}
	}
}

// due is the member to defragment now, if there is one.
func (t *upkeep) due(ctx context.Context, v view) (due *fullness, missing string, err error) {
	if raised := v.alarmed(corrupt); len(raised) > 0 {
		return nil, "", errors.New(corrupted(raised))
	}
	raised := v.alarmed(noSpace)
	switch {
	case !t.asked && len(raised) == 0:
		return nil, "", nil
	case !t.asked && t.isShared():
		return nil, "", fmt.Errorf("the database is full (alarm NOSPACE), and members are external: compact and defragment it, and disarm the alarm, or set defragment")
	}
	databases := v.databases(ctx, t.Etcd)
	for i, f := range databases {
		wanted := t.asked && f.worthwhile() || len(raised) > 0 && f.mended()
		if wanted && !t.tried[f.member.ID] && (due == nil || due.leads) {
			due = &databases[i]
		}
	}
	switch {
	case due != nil && v.behind() != "":
		return nil, v.behind(), nil
	case due != nil && due.leads && len(databases) > 1:
		missing, err = v.moveLeader(ctx, due.member.Name, t.successor(due.member.Name))
		return nil, missing, err
	case due == nil && len(raised) > 0:
		missing, err = t.reopen(ctx, v, raised, databases)
	}
	return due, missing, err
}

// successor is the member that becomes the leader while another is
// defragmented.
func (t *upkeep) successor(name string) string {
	var others []string
	for _, m := range t.Members {
		if m.Name != name {
			others = append(others, m.Name)
		}
	}
	return t.transferee(others)
}

// reopen disarms NOSPACE as soon as all members have room. If one has none, the
// alarm would be raised again at once.
func (t *upkeep) reopen(ctx context.Context, v view, raised []string, databases []fullness) (missing string, err error) {
	for _, f := range databases {
		if f.hasRoom() {
			continue
		}
		if t.fullFor.IsZero() {
			t.fullFor = time.Now()
		}
		text := full(raised, databases)
		if time.Since(t.fullFor) > compacting {
			return "", errors.New(text)
		}
		return text, nil
	}
	return "alarm NOSPACE is disarmed: all members have room", v.disarm(ctx)
}

// defragment makes a member copy its database; it serves no reads and writes meanwhile.
func (t *upkeep) defragment(ctx context.Context, f fullness) error {
	name, log := called(f.member), p.GetLogger(ctx)
	log.InfoStatus(fmt.Sprintf("%s is defragmented: its database has %s, %s of it in use", name, config.Bytes(int(f.size)), config.Bytes(int(f.inUse))))
	t.tried[f.member.ID] = true
	err := within(ctx, oneDefragment, *t.root.worked, func(ctx context.Context, client *clientv3.Client) error {
		_, err := client.Defragment(ctx, first(f.member.ClientURLs))
		return err
	})
	if err != nil {
		return fmt.Errorf("%s could not be defragmented, its data are unchanged: %w\n"+
			"Defragmentation copies the data in use (%s), for which the disk must have free space. The next `pulumi up` continues here", name, err, config.Bytes(int(f.inUse)))
	}
	log.Info(fmt.Sprintf("%s is defragmented: its database had %s, %s of it in use", name, config.Bytes(int(f.size)), config.Bytes(int(f.inUse))))
	return nil
}

// behind names members that are far behind the others, or is "".
func (v view) behind() string {
	var most uint64
	for _, m := range v.list {
		if s := v.of(m).status; s != nil {
			most = max(most, s.RaftIndex)
		}
	}
	var names []string
	for _, m := range v.list {
		if s := v.of(m).status; s != nil && s.RaftAppliedIndex+mostBehind < most {
			names = append(names, called(m))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " is catching up with the others"
}
