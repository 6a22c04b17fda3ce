package wait_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

func TestUntilNothingIsMissing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := []string{"a and b", "b", "b", ""}
		begun := time.Now()
		require.NoError(t, wait.Until(t.Context(), time.Minute, func(context.Context) (string, error) {
			look := looks[0]
			looks = looks[1:]
			return look, nil
		}))
		assert.Empty(t, looks)
		assert.Equal(t, 3*time.Second, time.Since(begun))
	})
}

func TestUntilTheLimit(t *testing.T) {
	t.Parallel()
	missing := func(context.Context) (string, error) { return "etcd-2: no answer in time", nil }
	synctest.Test(t, func(t *testing.T) {
		require.EqualError(t, wait.Until(t.Context(), time.Minute, missing), "timed out after 1m0s: etcd-2: no answer in time")
	})
	synctest.Test(t, func(t *testing.T) { // customTimeouts, which may be longer
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		require.EqualError(t, wait.Until(ctx, time.Minute, missing), "timed out after 1h0m0s: etcd-2: no answer in time")
	})
}

func TestUntilCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(90*time.Second, cancel)
		err := wait.Until(ctx, time.Hour, func(context.Context) (string, error) { return "etcd-2", nil })
		require.EqualError(t, err, "cancelled after 1m30s: etcd-2")
	})
}

func TestUntilAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, broken := time.Now(), errors.New("broken")
		err := wait.Until(t.Context(), time.Hour, func(context.Context) (string, error) {
			if time.Since(begun) < 5*time.Second {
				return "not yet", nil
			}
			return "", broken
		})
		require.ErrorIs(t, err, broken)
		assert.Equal(t, 5*time.Second, time.Since(begun))
	})
}

// TestUntilLooksAgain requires a look that hangs to end, and its reason not to be
// taken for the end of the wait.
func TestUntilLooksAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		require.NoError(t, wait.Until(t.Context(), time.Minute, func(ctx context.Context) (string, error) {
			if looks++; looks > 1 {
				return "", nil
			}
			<-ctx.Done()
			return wait.Cause(ctx.Err()), nil
		}))
		assert.Equal(t, 2, looks)
	})
}

// TestUntilSays requires what is missing on the progress line, in one line, when
// it changes. Outside of the engine that line is the log.
func TestUntilSays(t *testing.T) {
	var said lines
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	looks := []string{"etcd-1: sick\netcd-2: away", "etcd-1: sick\netcd-2: away", "etcd-2: away", ""}
	synctest.Test(t, func(t *testing.T) {
		require.NoError(t, wait.Until(t.Context(), time.Minute, func(context.Context) (string, error) {
			look := looks[0]
			looks = looks[1:]
			return look, nil
		}))
	})
	assert.Equal(t, 1, strings.Count(said.String(), "waiting: etcd-1: sick; etcd-2: away"))
	assert.Equal(t, 1, strings.Count(said.String(), "waiting: etcd-2: away"))
}

type lines struct {
	mu sync.Mutex
	strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(b)
}
