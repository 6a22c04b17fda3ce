package check_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// TestSchedule compares the rule with what systemd takes.
func TestSchedule(t *testing.T) {
	t.Parallel()
	for schedule, taken := range map[string]bool{
		"daily": true, "weekly": true, "hourly": true, "monthly": true,
		"02:30": true, "*:0/15": true, "02:30:00": true, "Sun 03:00": true, "Mon..Fri 22:30": true, "Sat,Sun 20:00": true,
		"*-*-01 04:00": true, "*-*-* 02:00": true, "2027-01-01": true, "*-*~1 05:00": true, "Sun": true, "Sun 03:00 UTC": true, "daily UTC": true,
		"Mon *-*-* 00:00:00 Europe/Berlin": true, "*-01,07-01": true,
		"daily Etc/GMT+3": true, "12:00 CET": true, "*-1..3-1/7 2:0": true, "*-*-1..31/2 4:00": true, "2-29": true, "Mon *-1,15": true,
		"*-13-01": false, "*-00-01": false, "*-*-0": false, "*-*~32": false, "12:00 Mars/Base": false, "Sun Sun": false, "02:00 Europe/Berln": false,
		"": false, "every day": false, "0 2 * * *": false, "25:00": false, "12:60": false, "weekly; rm": false, "Sun 3": false, "Sunnday": false, "03:00\n04:00": false,
	} {
		reason := check.Schedule(schedule)
		assert.Equal(t, taken, reason == "", "%q: %s", schedule, reason)
		if path, err := exec.LookPath("systemd-analyze"); err == nil {
			err := exec.CommandContext(t.Context(), path, "calendar", schedule).Run()
			assert.Equal(t, taken, err == nil, "systemd and %q", schedule)
		}
	}
}
