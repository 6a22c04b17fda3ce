package admin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exporter tells what quorum-backup on a machine is to have written.
type exporter struct {
	lock sync.Mutex
	text string
}

func (e *exporter) says(text string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.text = text
}

func (e *exporter) ServeHTTP(out http.ResponseWriter, _ *http.Request) {
	e.lock.Lock()
	defer e.lock.Unlock()
	fmt.Fprint(out, e.text)
}

// TestBackups has a gate wait until a member tells of a verified backup.
func TestBackups(t *testing.T) {
	t.Parallel()
	const ip = "127.0.0.212"
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "9100"))
	require.NoError(t, err)
	told := &exporter{}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: told}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	repository, state := "here", HealthState{}
	gate := HealthArgs{Members: []HealthMember{{Name: "etcd-1", IP: ip}}, Repository: &repository}
	waits := func(limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return gate.backedUp(ctx, &state)
	}

	const here = `quorum_backup_info{repository="here"} 1` + "\n"
	now := fmt.Sprintf("quorum_backup_updated_timestamp_seconds %e\n", float64(time.Now().Unix()))
	for _, c := range []struct{ told, want string }{
		{"", "it has not looked after its backups yet"},
		{`quorum_backup_info{repository="elsewhere"} 1` + "\nquorum_backup_verified_timestamp_seconds 1.795654959e+09\n", "it has not looked after its backups yet"},
		{here + now, "another member makes the first backup"},
		{here + now + "quorum_backup_running 1\n", "it makes the first backup"},
		{here + now + `quorum_backup_failure{of="backup",reason="S3: NoSuchBucket: it says \"no\""} 1` + "\n", `the first backup failed, and is tried again: S3: NoSuchBucket: it says "no"`},
		{here + now + `quorum_backup_last_success_timestamp_seconds{type="any"} 1.795654787e+09` + "\n", "the first backup is there, and is verified"},
		{here + "quorum_backup_updated_timestamp_seconds 1.5e+09\n", "quorum-backup has not looked after the backups for"},
		{here + "quorum_backup_updated_timestamp_seconds 1.5e+09\nquorum_backup_verified_timestamp_seconds 1.5e+09\n", "quorum-backup has not looked after the backups for"},
	} {
		told.says(c.told)
		require.ErrorContains(t, waits(time.Second), c.want)
	}
	for _, c := range []struct {
		looked time.Time
		want   string
	}{
		{time.Now().Add(-time.Minute), "timed out"}, // it may be mended since
		{time.Now().Add(time.Minute), "backup: etcd-1: the first backup cannot be made: the bucket does not exist"},
	} {
		told.says(here + fmt.Sprintf("quorum_backup_updated_timestamp_seconds %d\n", c.looked.Unix()) + `quorum_backup_failure{of="backup",reason="the bucket does not exist",again="false"} 1` + "\n")
		require.ErrorContains(t, waits(2*time.Second), c.want)
	}
	told.says(here + now + "quorum_backup_verified_timestamp_seconds 1.795654959e+09\n" + `quorum_backup_last_success_timestamp_seconds{type="any"} 1.795654787e+09` + "\n" +
		`quorum_backup_failure{of="backup",reason="S3 is away"} 1` + "\nquorum_backup_overdue 1\n")
	require.NoError(t, waits(time.Minute), "a later failure is a warning")
	assert.Equal(t, map[string]string{"verified": "2026-11-26T01:02:39Z", "lastBackup": "2026-11-26T00:59:47Z"}, state.BackupTimes)
}

// TestRestoreFails has a wait say why members cannot restore a snapshot.
func TestRestoreFails(t *testing.T) {
	t.Parallel()
	const ip = "127.0.0.213"
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "9100"))
	require.NoError(t, err)
	told := &exporter{}
	told.says(`quorum_backup_failure{of="restore",reason="there is no snapshot in restore.s3"} 1` + "\n")
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: told}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	id, members := restored+"20261127T150000Z", []HealthMember{{Name: "etcd-1", IP: ip}, {Name: "etcd-2", IP: "127.0.0.214"}}
	a := HealthArgs{Members: members, Recovery: &id}
	assert.Equal(t, []string{"etcd-1: the restore fails, and is tried again: there is no snapshot in restore.s3"}, restoring(t.Context(), a.restoring()))
	other := "20261127T150000Z"
	a.Recovery = &other
	assert.Empty(t, a.restoring())
	assert.Equal(t, "2026-11-27T15:00:00Z", ChosenAt(id))
	assert.Empty(t, ChosenAt(other))
}
