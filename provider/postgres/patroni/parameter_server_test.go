package patroni

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nobody is who PostgreSQL runs as where root runs the tests: it refuses to run as root.
const nobody = 65534

// postgres is a PostgreSQL of a version that is known here, asked without a server.
type postgres struct{ program, version, folder string }

func newPostgres(t *testing.T) postgres {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // where Debian has them
	for _, program := range slices.Backward(found) {
		version := strings.Split(program, "/")[4]
		if refused("work_mem", "8MB", &version) != "" || refused("nothing_known", "1", &version) == "" {
			continue
		}
		folder, err := os.MkdirTemp("", "parameters") // which nobody may enter, unlike those of t
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(folder) })
		require.NoError(t, os.WriteFile(filepath.Join(folder, "postgresql.conf"), nil, 0o600))
		if os.Geteuid() == 0 {
			require.NoError(t, os.Chown(folder, nobody, nobody))
			require.NoError(t, os.Chown(filepath.Join(folder, "postgresql.conf"), nobody, nobody))
		}
		return postgres{program, version, folder}
	}
	t.Skip("no PostgreSQL is installed whose parameters are known")
	return postgres{}
}

func (p postgres) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return p.asked(t, "", args...)
}

// asked is run with something to read.
func (p postgres) asked(t *testing.T, text string, args ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), p.program, args...)
	c.Stdin = strings.NewReader(text)
	c.Dir, c.Env = p.folder, []string{"LC_ALL=C"}
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	return string(out) + said.String(), err
}

// What it says of a value itself, and of one that is too much together with others.
var (
	judges   = regexp.MustCompile(`outside the valid range|requires a (Boolean|numeric) value|invalid value for parameter`)
	together = regexp.MustCompile(`(?m)invalid value for parameter "\w+": \d+$`)
)

// refuses is what the program says against a value itself, or "".
func (p postgres) refuses(t *testing.T, name, value string) string {
	t.Helper()
	said, err := p.run(t, "-D", p.folder, "-C", name, "-c", name+"="+value)
	if err == nil || together.MatchString(said) {
		return ""
	}
	require.Regexp(t, judges, said, "%s = %s", name, value)
	return said
}

// TestParametersAreJudgedAsByPostgres asks PostgreSQL itself of the edges of some parameters of each
// type and unit, and of some ways to write values.
func TestParametersAreJudgedAsByPostgres(t *testing.T) {
	t.Parallel()
	p := newPostgres(t)
	sample := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(parameterList())) {
		for _, k := range parameterList()[name] {
			kind := k.kind + " " + k.unit
			has := k.from <= number(p.version) && number(p.version) <= k.to
			if has && !k.cannotBeGiven && owned[name] == "" && len(sample[kind]) < 3 {
				sample[kind] = append(sample[kind], name)
			}
		}
	}
	require.GreaterOrEqual(t, len(sample), 12, "types and units")
	for kind, names := range sample {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for _, name := range names {
				p.compare(t, name)
			}
		})
	}
}

func number(version string) (n int) {
	_, _ = fmt.Sscan(version, &n)
	return n
}

// written are ways to write values, whatever the type.
var written = []string{"", " ", "0x10", "010", "1e1", "1.5", ".5", "5.", "-0", "+1", "1_000", "1 kB", "1kb", "1 min", "1Min", "yes", "FALSE", "of", "nan", "inf"}

func (p postgres) compare(t *testing.T, name string) {
	t.Helper()
	all := parameterList()[name]
	k := all[slices.IndexFunc(all, func(k known) bool { return k.from <= number(p.version) && number(p.version) <= k.to })]
	taken, not := k.edges()
	if k.kind == "string" { // which it may judge by rules of each
		taken, not = nil, nil
	}
	for _, value := range slices.Concat(taken, not, written) {
		if k.kind == "string" {
			assert.Empty(t, refused(name, value, &p.version), "%s = %q", name, value)
			continue
		}
		says := p.refuses(t, name, value)
		assert.Equal(t, says == "", refused(name, value, &p.version) == "", "%s = %q: PostgreSQL says %q, and here it is %q", name, value, says, refused(name, value, &p.version))
	}
}

// TestParametersTakeTheirDefaults has each parameter take what PostgreSQL has by itself.
func TestParametersTakeTheirDefaults(t *testing.T) {
	t.Parallel()
	p := newPostgres(t)
	described, err := p.run(t, "--describe-config")
	require.NoError(t, err)
	seen := 0
	for line := range strings.Lines(described) {
		name, rest, _ := strings.Cut(line, "\t")
		if context, _, _ := strings.Cut(rest, "\t"); context == "internal" {
			continue
		}
		seen++
		value, err := p.run(t, "-D", p.folder, "-C", name)
		require.NoError(t, err, name)
		value, _, _ = strings.Cut(value, "\n") // what follows are messages
		assert.Empty(t, refused(name, value, &p.version), "%s = %s", name, value)
	}
	assert.Greater(t, seen, 250)
}
