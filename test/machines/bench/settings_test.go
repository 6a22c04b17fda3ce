//go:build bench

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const (
	pgbenchScale   = 40 // of 15 MiB each: more than the distribution's buffers, and less than those of the machine
	pgbenchSeconds = 15
	gib            = 4
)

func (r *results) settings(t *testing.T) {
	t.Helper()
	fits := patroni.Config{}.Fitting(patroni.Machine{Memory: gib << 30, Disk: 10 * gib << 30, Processors: runtime.NumCPU()})
	asked, err := json.Marshal(fits)
	require.NoError(t, err)
	cmd := exec.Command("python3", filepath.Join(engine.Root(), "test", "machines", "bench", "settings.py"), fmt.Sprint(pgbenchScale), fmt.Sprint(pgbenchSeconds), fmt.Sprint(rounds))
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(asked)), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var both []done
	require.NoError(t, json.Unmarshal(out, &both))
	require.Len(t, both, 2)
	r.Settings = &settings{pgbenchScale * 15, gib, rounds, both[0], both[1]}
}
