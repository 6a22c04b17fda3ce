package admin

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// noSpace is the alarm of a member whose database has reached its quota: all
// members refuse writes until it is disarmed.
const noSpace = "NOSPACE"

// fullness is how full the database of a member is, in bytes.
type fullness struct {
	member *etcdserverpb.Member
	leads  bool
	size   int64 // of the file
	inUse  int64 // of it; the rest is free for other data, and given back by defragmentation
	quota  int64 // that the member has in force, or 0 if it is not known
}

// hasRoom reports whether a member accepts writes again, and not only the next
// one: a twentieth of the quota is free. etcd checks the size only at a write:
// it raises the alarm when the size and the cost of the request reach the quota
// (server/storage/quota.go). A request has at most 1.5 MiB, so with a quota of
// 32 MiB or more any first one fits.
func (f fullness) hasRoom() bool { return f.quota > 0 && f.size <= f.quota-f.quota/20 }

// worthwhile reports whether a database is large enough to be defragmented. How
// much of it is in use does not matter: while there are no writes, as in a full
// one, etcd still counts what was deleted last as in use.
func (f fullness) worthwhile() bool { return f.size >= 1<<20 }

// mended reports whether defragmentation is known to give a full member room.
func (f fullness) mended() bool {
	after := f
	after.size = f.inUse
	return !f.hasRoom() && after.hasRoom()
}

func (f fullness) String() string {
	quota := "an unknown quota"
	if f.quota > 0 {
		quota = "its quota of " + config.Bytes(int(f.quota))
	}
	return fmt.Sprintf("%s has %s of %s, %s in use", called(f.member), config.Bytes(int(f.size)), quota, config.Bytes(int(f.inUse)))
}

// databases are those of the members that vote. Learners may not have received theirs yet.
func (v view) databases(ctx context.Context, c host.EtcdConnection) (all []fullness) {
	for _, m := range v.list {
		s := v.of(m).status
		if s == nil || m.IsLearner {
			continue
		}
		all = append(all, fullness{member: m, leads: s.Leader == m.ID, size: s.DbSize, inUse: s.DbSizeInUse, quota: s.DbSizeQuota})
	}
	sideBySide(len(all), func(i int) {
		if all[i].quota == 0 { // before 3.6
			all[i].quota = quotaAt(ctx, c, hostPort(v.serves(all[i].member)))
		}
	})
	return all
}

// quotaMetric is the metric that has a member's quota.
const quotaMetric = "etcd_server_quota_backend_bytes "

// quotaAt asks the metrics of the member at an address for its quota.
func quotaAt(ctx context.Context, c host.EtcdConnection, address string) int64 {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	secure, err := tlsConfig(c)
	if err != nil {
		return 0
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+"/metrics", nil)
	if err != nil {
		return 0
	}
	transport := &http.Transport{TLSClientConfig: secure}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(io.LimitReader(answer.Body, 8<<20))
	for lines.Scan() {
		if text, is := strings.CutPrefix(lines.Text(), quotaMetric); is {
			quota, _ := strconv.ParseFloat(text, 64)
			return int64(quota)
		}
	}
	return 0
}

// alarmed names the members that have raised an alarm, also those that were
// removed.
func (v view) alarmed(name string) (all []string) {
	for _, answer := range v.answers {
		for _, a := range answer.alarms {
			if a.name == name {
				all = append(all, v.named(a.member))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (v view) named(id uint64) string {
	if id == 0 { // up to 3.5: https://github.com/etcd-io/etcd/pull/14828
		return "a member, and etcd cannot tell which"
	}
	for _, m := range v.list {
		if m.ID == id {
			return called(m)
		}
	}
	return fmt.Sprintf("a member that was removed (%x)", id)
}

// full says that the database is full, how full it is, and what to do about it.
func full(raised []string, databases []fullness) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the database is full (alarm NOSPACE of %s): etcd refuses writes\n", strings.Join(raised, ", "))
	for _, f := range databases {
		fmt.Fprintln(&b, f)
	}
	if slices.ContainsFunc(databases, func(f fullness) bool { return f.quota < config.MaxSpaceQuota }) {
		b.WriteString("Increase etcd.spaceQuota, to at most 8 GiB. Or: ")
	}
	b.WriteString("Delete keys, compact the history (`etcdctl compact`), and set `defragment` to another value. " +
		"The update disarms the alarm when each member has a twentieth of its quota free")
	return b.String()
}

// corrupted says what to do about data that differ between members.
func corrupted(raised []string) string {
	return fmt.Sprintf("alarm CORRUPT of %s: its data differ from those of the others, and etcd refuses all requests for data until the alarm is disarmed. "+
		"Find out which member is wrong (`etcdctl endpoint hashkv --cluster`), and remove it from the program: `pulumi up` removes it from the cluster. "+
		"Then disarm the alarm as root: `etcdctl alarm disarm`. No update disarms it. Then add the member again: it gets its data from the others", strings.Join(raised, ", "))
}

// disarm ends NOSPACE, and no other alarm.
func (v view) disarm(ctx context.Context) error {
	list, err := v.client.AlarmList(ctx)
	if err != nil {
		return err
	}
	for _, a := range list.Alarms {
		if a.Alarm != etcdserverpb.AlarmType_NOSPACE {
			continue
		}
		if _, err := v.client.AlarmDisarm(ctx, (*clientv3.AlarmMember)(a)); err != nil {
			return err
		}
	}
	return nil
}
