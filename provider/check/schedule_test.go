package check_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// TestSchedule compares the rule with what systemd takes.
func TestSchedule(t *testing.T) {
	t.Parallel()
	for schedule, taken := range map[string]bool{
		"daily": true, "weekly": true, "hourly": true, "monthly": true,
		"02:30": true, "*:0/15": true, "02:30:00": true, "Sun 03:00": true, "Mon..Fri 22:30": true, "Sat,Sun 20:00": true,
		"*-*-01 04:00": true, "*-*-* 02:00": true, "2199-01-01": true, "*-*~1 05:00": true, "Sun": true, "Sun 03:00 UTC": true, "daily UTC": true,
		"Mon *-*-* 00:00:00 Europe/Berlin": true, "*-01,07-01": true,
		"daily Etc/GMT+3": true, "12:00 CET": true, "*-1..3-1/7 2:0": true, "*-*-1..31/2 4:00": true, "2-29": true, "Mon *-1,15": true,
		"Mon-Fri 02:00": true, "Mon..Fri,Sun  02:00": true, "*:00,10..20": true, "0..6,12..18:00": true, "8..12/2,20/3:30": true, "Daily": true, "HOURLY utc": true, "semi-annually": true,
		"02:00 Utc": true, "*:5..10/7": true, "*-*~28/27": true, "*:50/9": true, "2026/173-1-1": true,
		"*:*/15": false, "*/6:00": false, "*-*-*/2": false, "*-*~*/2": false, "*,5:00": false, "*:0/60": false, "*:50/10": false, "0/24:00": false, "*-*-1/31": false, "*-1/12-1": false,
		"*-*~1/1": false, "2026/174-1-1": false, "02:00 Local": false, "Mon..Fri..Sun": false, "Mon,,Tue 2:00": false,
		"*-13-01": false, "*-00-01": false, "*-*-0": false, "*-*~32": false, "12:00 Mars/Base": false, "Sun Sun": false, "02:00 Europe/Berln": false,
		"*-*-5..3": false, "Sat..Mon 12:00": false, "Fri..Sun": true, "*-2~30": false, "2200-01-01": false, "*:0/0": false, "*-*-1..31/0": false, "": false, "every day": false, "0 2 * * *": false, "25:00": false, "12:60": false, "weekly; rm": false, "Sun 3": false, "Sunnday": false, "03:00\n04:00": false,
	} {
		reason := check.Schedule(schedule)
		assert.Equal(t, taken, reason == "", "%q: %s", schedule, reason)
		if path, err := exec.LookPath("systemd-analyze"); err == nil {
			err := exec.CommandContext(t.Context(), path, "calendar", schedule).Run()
			assert.Equal(t, taken, err == nil, "systemd and %q", schedule)
		}
	}
}

func TestScheduleWithSteps(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `must be a calendar expression of systemd, such as daily, weekly, *-*-* 02:30:00 or Sun 03:00, not "*:*/15": steps begin with a number, as in *:0/15`, check.Schedule("*:*/15"))
}

// TestSchedulesThatNeverCome are taken by systemd, whose timer then does nothing.
func TestSchedulesThatNeverCome(t *testing.T) {
	t.Parallel()
	for schedule, comes := range map[string]bool{
		"2020-01-01": false, "*-02-30": false, "1999-*-*": false, "2000..2020-*-* 12:00": false, "*-4,6-31": false,
		"Mon 2199-01-01": false, "Tue 2199-01-01": true, "Sun *-02-29": true, "*-2~28": true, "*-2~*": true, "Sun 26-11-28": false, "99-1-1": false, "*-02-29": true, "*-*-31": true,
		"Mon *-05~07/1": true, "*-2~28/9": true, "2020..2199-*-*": true, "2020/1-01-01": true,
	} {
		reason := check.Schedule(schedule)
		assert.Equal(t, comes, reason == "", "%q: %s", schedule, reason)
		if path, err := exec.LookPath("systemd-analyze"); err == nil {
			out, err := exec.CommandContext(t.Context(), path, "calendar", schedule).Output()
			assert.NoError(t, err, schedule)
			assert.Equal(t, comes, !strings.Contains(string(out), "Next elapse: never"), "systemd and %q:\n%s", schedule, out)
		}
	}
}

func TestSchedulesThatComeOften(t *testing.T) {
	t.Parallel()
	for schedule, every := range map[string]string{
		"minutely": "1m", "*:*:*": "1s", "*:0/15": "15m", "hourly": "", "00:00,": "", "*-*-* 0,23:30 UTC": "", "02:30": "", "0,1:00": "",
		"Mon *:*:0/20": "20s", "minutely UTC": "1m", "1:0,10,59": "10m", "weekly": "", "*-02-30 *:*": "",
	} {
		var l check.List
		l.Often("schedule", &schedule, time.Hour, "why")
		if every == "" {
			assert.Empty(t, l, schedule)
			continue
		}
		require.NotEmpty(t, l, schedule)
		assert.Equal(t, "schedule: is \""+schedule+"\", which may come every "+every+": why. Every 1h or less often is usual", l[0].String())
	}
}
