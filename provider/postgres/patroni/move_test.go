package patroni

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMove has a volume with data as the Terraform modules had them, and in other states, taken up.
func TestMove(t *testing.T) {
	t.Parallel()
	version, none, off := "14", 0, Off
	unit, err := Config{Postgres: Postgres{Version: &version}, Patroni: Settings{PrimaryStopTimeout: &none, WatchdogMode: &off}}.unit(moveService)
	require.NoError(t, err)
	script := regexp.MustCompile(`(?m)^ExecStart=/bin/sh -ec '(.*)'$`).FindStringSubmatch(unit)
	require.NotNil(t, script, unit)
	const rules, own = "hostssl all all 0.0.0.0/0 scram-sha-256\n", "local all postgres peer\n"
	for name, c := range map[string]struct {
		before, after map[string]string
		fails         bool
	}{
		"nothing": {before: map[string]string{"data/": ""}, after: map[string]string{}},
		"theirs": {
			before: map[string]string{"data/": "", "14/data/PG_VERSION": "14\n", "14/data/pg_hba.conf": rules, "14/data/base/1": "rows", "lost+found/": ""},
			after:  map[string]string{"data/PG_VERSION": "14\n", "data/pg_hba.conf": own + rules, "data/base/1": "rows"},
		},
		"theirs, cut short": {
			before: map[string]string{"14/data/PG_VERSION": "14\n", "14/data/pg_hba.conf": own + rules, "14/data/hba.new": "loc"},
			after:  map[string]string{"data/PG_VERSION": "14\n", "data/pg_hba.conf": own + rules, "data/hba.new": "loc"},
		},
		"theirs, without rules": {
			before: map[string]string{"14/data/PG_VERSION": "14\n"},
			after:  map[string]string{"data/PG_VERSION": "14\n", "data/pg_hba.conf": own},
		},
		"ours": {
			before: map[string]string{"data/PG_VERSION": "14\n", "data/pg_hba.conf": own, "14/data/PG_VERSION": "14\n", "14/data/pg_hba.conf": rules},
			after:  map[string]string{"data/PG_VERSION": "14\n", "data/pg_hba.conf": own, "14/data/PG_VERSION": "14\n", "14/data/pg_hba.conf": rules},
		},
		"of another version": {
			before: map[string]string{"data/": "", "13/data/PG_VERSION": "13\n", "13/data/pg_hba.conf": rules},
			after:  map[string]string{"13/data/PG_VERSION": "13\n", "13/data/pg_hba.conf": rules},
		},
		"something in its place": {
			before: map[string]string{"data/a": "a", "14/data/PG_VERSION": "14\n", "14/data/pg_hba.conf": rules},
			after:  map[string]string{"data/a": "a", "14/data/PG_VERSION": "14\n", "14/data/pg_hba.conf": own + rules},
			fails:  true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			volume := t.TempDir()
			for path, text := range c.before {
				if !strings.HasSuffix(path, "/") {
					require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(volume, path)), 0o700))
					require.NoError(t, os.WriteFile(filepath.Join(volume, path), []byte(text), 0o600))
					continue
				}
				require.NoError(t, os.MkdirAll(filepath.Join(volume, path), 0o700))
			}
			for range 2 { // at the next boot too
				move := exec.CommandContext(t.Context(), "/bin/sh", "-ec", strings.ReplaceAll(script[1], "$$", "$"))
				move.Dir = volume
				said, err := move.CombinedOutput()
				assert.Equal(t, c.fails, err != nil, "%s", said)
			}
			after := map[string]string{}
			require.NoError(t, filepath.Walk(volume, func(path string, info os.FileInfo, err error) error {
				if err == nil && info.Mode().IsRegular() {
					text, err := os.ReadFile(path)
					require.NoError(t, err)
					after[strings.TrimPrefix(path, volume+"/")] = string(text)
				}
				return err
			}))
			assert.Equal(t, c.after, after)
		})
	}
}
