package wait

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// three are the machines of a cluster; what each tells, by address.
var three = []Machine{{Name: "etcd-1", IP: "10.0.0.11", Port: 2379}, {Name: "etcd-2", IP: "10.0.0.12", Port: 2379}, {Name: "etcd-3", IP: "10.0.0.13", Port: 2379}}

// world is what a wait sees, minute by minute and second by second.
type world struct {
	missing func(at time.Duration) string
	tells   func(at time.Duration, ip string) (stage, silent string)
	limit   time.Duration
	of      string
}

// shown are the lines of a wait, each with the seconds since its begin, and how it ended.
func (w world) shown(t *testing.T) (lines []string, ended error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		say := func(line string) { lines = append(lines, fmt.Sprintf("%d %s", int(time.Since(begun).Seconds()), line)) }
		ended = w.watch(begun, say).until(t.Context(), w.look(begun))
	})
	return lines, ended
}

func (w world) watch(begun time.Time, say func(string)) *watch {
	ask := func(_ context.Context, ip string) (string, string) { return w.tells(time.Since(begun), ip) }
	if w.tells == nil {
		ask = func(context.Context, string) (string, string) { return "", "" }
	}
	return &watch{For: For{Limit: w.limit, Machines: three, Of: w.of, Say: say}, ask: ask}
}

func (w world) look(begun time.Time) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return w.missing(time.Since(begun)), nil }
}

// until is nothing from a moment on.
func until(end time.Duration, text string) func(time.Duration) string {
	return func(at time.Duration) string {
		if at >= end {
			return ""
		}
		return text
	}
}

func TestShowsALineForEachMachine(t *testing.T) {
	t.Parallel()
	lines, err := world{limit: time.Hour, missing: func(at time.Duration) string {
		switch {
		case at < 5*time.Second:
			return "the cluster needs 2 healthy members, and has 1\netcd-3 sees no leader\n10.0.0.12:2379: is a learner\netcd-3 is old"
		case at < 20*time.Second:
			return "the cluster needs 2 healthy members, and has 1\netcd-3 sees no leader"
		}
		return ""
	}}.shown(t)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"0 the cluster needs 2 healthy members, and has 1",
		"0 etcd-2: is a learner",
		"0 etcd-3: sees no leader; is old; also for etcd-2",
		"5 etcd-3: sees no leader",
	}, lines)
}

// TestShowsHowLongNoMachineIsMissing has a line of the cluster alone.
func TestShowsHowLongNoMachineIsMissing(t *testing.T) {
	t.Parallel()
	lines, err := world{limit: time.Hour, missing: until(90*time.Second, "there is no verified backup yet")}.shown(t)
	require.NoError(t, err)
	assert.Equal(t, []string{"0 there is no verified backup yet", "60 there is no verified backup yet (1 min)"}, lines)
}

func TestShowsMinutesAndNoLineTwice(t *testing.T) {
	t.Parallel()
	lines, err := world{limit: time.Hour, of: "etcd-2", missing: func(at time.Duration) string {
		if at > 150*time.Second {
			return ""
		}
		return fmt.Sprintf("is %d bytes behind", 10_000-int(at.Seconds()))
	}}.shown(t)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"0 etcd-2: is 10000 bytes behind",
		"60 etcd-2: is 9940 bytes behind (1 min)",
		"120 etcd-2: is 9880 bytes behind (2 min)",
	}, lines)
}

// TestShowsNoneThatComesAndGoes has a line for each of two states, and no more of
// them in the same minute.
func TestShowsNoneThatComesAndGoes(t *testing.T) {
	t.Parallel()
	lines, err := world{limit: time.Hour, missing: func(at time.Duration) string {
		switch seconds := int(at.Seconds()); {
		case seconds >= 50:
			return ""
		case seconds%2 == 0:
			return "etcd-1 sees no leader"
		}
		return "etcd-1 starts"
	}}.shown(t)
	require.NoError(t, err)
	assert.Equal(t, []string{"0 etcd-1: sees no leader", "1 etcd-1: starts"}, lines)
}

// TestShowsHowLongWhatComesAndGoesIsMissing counts what is away for less than a minute as one.
func TestShowsHowLongWhatComesAndGoesIsMissing(t *testing.T) {
	t.Parallel()
	lines, err := world{limit: time.Hour, missing: func(at time.Duration) string {
		switch {
		case at >= 150*time.Second:
			return ""
		case int(at.Seconds())/30%2 == 0:
			return "etcd-1 sees no leader"
		}
		return "etcd-1 starts"
	}}.shown(t)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"0 etcd-1: sees no leader", "30 etcd-1: starts",
		"60 etcd-1: sees no leader (1 min)", "90 etcd-1: starts (1 min)", "120 etcd-1: sees no leader (2 min)",
	}, lines)
}

// TestShowsAServiceThatDoesNotAnswer has one on a machine that has applied its configuration.
func TestShowsAServiceThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	lines, err := world{limit: time.Hour, missing: until(70*time.Second, "10.0.0.12:2379: connection refused")}.shown(t)
	require.NoError(t, err)
	assert.Equal(t, []string{"0 etcd-2: connection refused", "60 etcd-2: connection refused (1 min)"}, lines)
}

// TestTellsMachinesApart has names and addresses that begin others, and lines with nothing after them.
func TestTellsMachinesApart(t *testing.T) {
	t.Parallel()
	lines := []string{}
	synctest.Test(t, func(t *testing.T) {
		w := watch{For: For{Machines: []Machine{{Name: "db-1", IP: "10.0.0.1", Port: 1}, {Name: "db-10", IP: "10.0.0.10", Port: 1}, {Name: "six", IP: "fd00::1", Port: 1}}, Say: func(line string) { lines = append(lines, line) }}}
		w.show(t.Context(), "db-10 is old\ndb-1: is new\n10.0.0.10:2379: is b\n[fd00::1]:2379: is c\ndb-100 is gone")
		w.show(t.Context(), "db-1: ")
		w.show(t.Context(), "\n")
	})
	assert.Equal(t, []string{"db-100 is gone", "db-1: is new", "db-10: is old; is b", "six: is c; also for db-1, db-10", "db-1: "}, lines)
}

// TestShowsHowFarAMachineIs has one that boots, installs its packages and comes.
func TestShowsHowFarAMachineIs(t *testing.T) {
	t.Parallel()
	reasons := []string{"no route to host", "no answer in time"}
	lines, err := world{
		limit: time.Hour, missing: func(at time.Duration) string {
			switch {
			case at > 200*time.Second:
				return ""
			case at > 170*time.Second:
				return "etcd-1: it is a learner"
			}
			return "etcd does not answer\n10.0.0.11:2379: " + reasons[int(at.Seconds())%2]
		},
		tells: func(at time.Duration, ip string) (string, string) {
			assert.Equal(t, "10.0.0.11", ip)
			switch {
			case at < 75*time.Second:
				return "", reasons[int(at.Seconds())/10%2]
			case at < 155*time.Second:
				return installs, ""
			}
			return "could not apply its configuration (failed): no space", ""
		},
	}.shown(t)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"0 etcd does not answer",
		"0 etcd-1: does not answer: no route to host (a first boot usually takes 2 to 4 min)",
		"60 etcd-1: does not answer: no route to host (1 min; a first boot usually takes 2 to 4 min)",
		"80 etcd-1: installs packages and starts its services (1 min; usually 2 to 4 min)",
		"140 etcd-1: installs packages and starts its services (2 min; usually 2 to 4 min)",
		"160 etcd-1: no route to host; could not apply its configuration (failed): no space",
		"171 etcd-1: it is a learner",
	}, lines)
}

// TestServiceDoesNotRun has a machine answer for long whose service does not.
func TestServiceDoesNotRun(t *testing.T) {
	t.Parallel()
	lines, err := world{limit: time.Hour, missing: until(7*time.Minute, "etcd-1 does not answer: connection refused"), tells: func(at time.Duration, _ string) (string, string) {
		if at > 390*time.Second {
			return "the disk is full there: /var/lib/etcd", ""
		}
		return "", ""
	}}.shown(t)
	require.NoError(t, err)
	assert.Contains(t, lines, "240 etcd-1: does not answer: connection refused (4 min)")
	assert.Contains(t, lines, "300 etcd-1: does not answer: connection refused; its machine answers: `systemctl --failed` there shows which service does not run, and `journalctl -u` of it why (5 min)")
	assert.Equal(t, "400 etcd-1: does not answer: connection refused; the disk is full there: /var/lib/etcd", lines[len(lines)-1])
}

func TestGivesUpWithAHint(t *testing.T) {
	t.Parallel()
	missing := "etcd-1 sees no leader\netcd-2 does not answer: no route to host\netcd-3 does not answer: connection refused"
	tells := func(_ time.Duration, ip string) (string, string) {
		return "", map[string]string{"10.0.0.12": "no route to host", "10.0.0.13": refused}[ip]
	}
	_, err := world{limit: 30 * time.Minute, missing: until(time.Hour, missing), tells: tells}.shown(t)
	require.EqualError(t, err, "timed out after 30m0s: "+missing)
	hint := Hint(fmt.Errorf("etcd: %w", err))
	assert.Equal(t, `
Nothing has answered for 30 minutes at etcd-2, 10.0.0.12, ports 2379 and 9100 (no route to host), etcd-3, 10.0.0.13, ports 2379 and 9100 (connection refused); a first boot usually takes 2 to 4.
Look at the console: on libvirt, on the hypervisor, `+"`virsh domstate etcd-2` and `virsh console etcd-2`; on OpenStack `openstack console log show etcd-2`"+`.
Usual causes: it is off, did not boot, or panicked; it hangs, if it ran before (`+"`virsh reset etcd-2`, or `openstack server reboot --hard etcd-2`); its address, prefix, gateway or network is wrong, or no DHCP server answers; a firewall, or a security group on OpenStack, between here and these ports; an image without cloud-init."+`
connection refused: it runs, and its first boot failed or still installs packages: `+"`cloud-init status --long` there says which.", hint)
	assert.Contains(t, GoesOn(err, "members"), "as with macvtap."+hint)

	_, err = world{limit: 30 * time.Minute, missing: until(time.Hour, missing), tells: func(at time.Duration, ip string) (string, string) {
		if ip == "10.0.0.13" && at < 20*time.Minute {
			return "", ""
		}
		return "", "no route to host"
	}}.shown(t)
	require.Error(t, err)
	assert.Contains(t, Hint(err), "for 30 minutes at etcd-2, 10.0.0.12, ports 2379 and 9100 (no route to host), etcd-3, 10.0.0.13, ports 2379 and 9100 (no route to host, for 10 minutes); ")

	_, err = world{limit: 3 * time.Minute, missing: until(time.Hour, missing), tells: tells}.shown(t)
	require.ErrorContains(t, err, "timed out after 3m0s: ")
	assert.Empty(t, Hint(err), "a boot may take as long")

	_, err = world{limit: 30 * time.Minute, missing: until(time.Hour, missing)}.shown(t)
	require.Error(t, err)
	assert.Empty(t, Hint(err), "the machines answer, and something on them does not")
	assert.Empty(t, Hint(errors.New("another")))
}

func TestNamesNoAddressAsMachine(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"10.0.0.41", "10.0.0.41:53", "[fd00::1]:53"} {
		assert.Equal(t, "NAME", Machine{Name: name}.called())
	}
	assert.Equal(t, "10.0.0.41, ports 5432 and 9100", Machine{Name: "10.0.0.41", IP: "10.0.0.41", Port: 5432}.place())
}

// TestWarnsOnce has the hint once while it waits, where it stays.
func TestWarnsOnce(t *testing.T) {
	var said buffer
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		w := world{limit: time.Hour, missing: until(29*time.Minute, "etcd-1 does not answer: no answer in time"), tells: func(at time.Duration, _ string) (string, string) {
			if at > 4*time.Minute && at < 6*time.Minute { // it begins anew
				return installs, ""
			}
			return "", "no answer in time"
		}}
		require.NoError(t, w.watch(begun, nil).until(t.Context(), func(ctx context.Context) (string, error) {
			if at := time.Since(begun); at < 11*time.Minute {
				assert.NotContains(t, said.String(), "level=WARN", "after %s", at)
			}
			return w.look(begun)(ctx)
		}))
	})
	assert.Equal(t, 1, strings.Count(said.String(), "level=WARN"))
	assert.Equal(t, 1, strings.Count(said.String(), "Nothing has answered for 5 minutes at etcd-1, 10.0.0.11, ports 2379 and 9100 (no answer in time)"))
}

// TestUsualBootWasMeasured holds the numbers against those of docs/benchmarks.md.
func TestUsualBootWasMeasured(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/benchmarks.md")
	require.NoError(t, err)
	rounds := regexp.MustCompile(`(?m)^Rounds, bare: \[([\d ]+)\]; cluster: \[([\d ]+)\]`).FindSubmatch(page)
	require.NotNil(t, rounds)
	for _, text := range bytes.Fields(bytes.Join(rounds[1:], []byte(" "))) {
		seconds, err := strconv.Atoi(string(text))
		require.NoError(t, err)
		took := time.Duration(seconds) * time.Second
		assert.GreaterOrEqual(t, took, usualBoot.least)
		assert.LessOrEqual(t, took, usualBoot.most)
	}
	assert.Greater(t, longestBoot, usualBoot.most)
}

type buffer struct {
	mu sync.Mutex
	strings.Builder
}

func (b *buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(text)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.String()
}
