package patroni

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

func with(params map[string]string, extensions ...string) Config {
	version := "17"
	return Config{Postgres: Postgres{Version: &version, Params: params, Extensions: extensions}}
}

// TestPreloaded keeps what the user preloads, and its order.
func TestPreloaded(t *testing.T) {
	t.Parallel()
	for want, c := range map[text]Config{
		"":                                     with(nil, "vector", "hstore"),
		"pgaudit,pg_cron":                      with(nil, "pgaudit", "vector", "pg_cron"),
		"pg_stat_statements,pg_stat_kcache":    with(nil, "pg_stat_kcache", "pg_stat_statements"),
		`auto_explain, "$libdir/x.so",pgaudit`: with(map[string]string{"Shared_Preload_Libraries": ` auto_explain, "$libdir/x.so" `}, "pgaudit"),
		"pgaudit":                              with(map[string]string{"shared_preload_libraries": ""}, "pgaudit"),
	} {
		assert.Equal(t, want, c.preloaded())
	}
	assert.Empty(t, with(map[string]string{"shared_preload_libraries": `"$libdir/pgaudit"`}, "pgaudit").preloaded(), "it is there")
}

// TestExtensionPackages has each package once, and what it must bring.
func TestExtensionPackages(t *testing.T) {
	t.Parallel()
	const share, lib = "/usr/share/postgresql/17/extension/", "/usr/lib/postgresql/17/lib/"
	assert.Equal(t, []guest.Package{
		{Name: "postgresql-17-postgis-3", Provides: []string{share + "postgis.control", share + "postgis_raster.control"}},
		{Name: "postgresql-17-pg-stat-kcache", Provides: []string{share + "pg_stat_kcache.control", lib + "pg_stat_kcache.so"}},
		{Name: "postgresql-plpython3-17", Provides: []string{share + "plpython3u.control"}},
	}, with(nil, "postgis", "hstore", "pg_stat_kcache", "plpython3u", "postgis_raster").extensionPackages())
}

// TestCronRunsJobsItself needs no password for that.
func TestCronRunsJobsItself(t *testing.T) {
	t.Parallel()
	assert.Equal(t, text("on"), with(nil, "pg_cron").parameters()["cron.use_background_workers"])
	assert.Equal(t, text("off"), with(map[string]string{"cron.use_background_workers": "off"}, "pg_cron").parameters()["cron.use_background_workers"])
	assert.NotContains(t, with(nil, "pgaudit").parameters(), "cron.use_background_workers")
}

// TestExtensionsInDocs holds the lists of the page against the code.
func TestExtensionsInDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/postgres-extensions.md")
	require.NoError(t, err)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(packaged)) {
		e := packaged[name]
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", name, e.packageOf("17"), strings.Join(e.preload, ", "))
	}
	assert.Contains(t, string(page), "| extension | package, for PostgreSQL 17 | loaded when PostgreSQL starts |\n|---|---|---|\n"+b.String()+"\n")
	words := strings.Fields(string(page))
	for name, e := range extensions {
		if e.pkg == "" {
			assert.True(t, slices.ContainsFunc(words, func(word string) bool { return strings.Trim(word, "`,.") == name }), name)
		}
	}
}

// later are extensions that Debian has from a later release on than 12: its releases have one version of PostgreSQL each.
var later = []string{"age", "credcheck", "h3", "http", "pg_hint_plan", "roaringbitmap", "timescaledb", "vector"}

// TestExtensionsAreInDebian asks apt for each package, of the version of PostgreSQL that is installed.
func TestExtensionsAreInDebian(t *testing.T) {
	t.Parallel()
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(installed) == 0 {
		t.Skip("no PostgreSQL is installed")
	}
	version := strings.Split(installed[0], "/")[4]
	out, err := exec.CommandContext(t.Context(), "apt-cache", "pkgnames", "postgresql-").Output()
	if packages := strings.Fields(string(out)); err == nil && slices.Contains(packages, "postgresql-"+version+"-hypopg") {
		for name, e := range packaged {
			if version != "15" || !slices.Contains(later, name) {
				assert.Contains(t, packages, e.packageOf(version), name)
			}
		}
		return
	}
	t.Skip("apt has no lists of packages")
}

// TestContributedExtensionsAreInPostgres finds them in the PostgreSQL that is installed.
func TestContributedExtensionsAreInPostgres(t *testing.T) {
	t.Parallel()
	found, _ := filepath.Glob("/usr/share/postgresql/*/extension/pg_stat_statements.control")
	if len(found) == 0 {
		t.Skip("no PostgreSQL is installed")
	}
	version := strings.Split(found[0], "/")[4]
	for name, e := range extensions {
		if e.pkg != "" || number(version) < e.first || e.last > 0 && number(version) > e.last {
			continue
		}
		assert.FileExists(t, filepath.Join(filepath.Dir(found[0]), name+".control"))
		for _, library := range e.preload {
			assert.FileExists(t, filepath.Join("/usr/lib/postgresql", version, "lib", library+".so"))
		}
	}
}
