//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dataMiB are those of the rows that the cluster has: how long writes wait depends on them.
func dataMiB(t *testing.T) int {
	t.Helper()
	mib, err := strconv.Atoi(cmp.Or(os.Getenv("QUORUM_DATA_MIB"), "64"))
	require.NoError(t, err)
	return mib
}

func testMajorData(t *testing.T, p platform) {
	leader, _ := settled(t)
	psql(t, leader, fmt.Sprintf("CREATE TABLE large AS SELECT n, repeat(md5(n::text), 30) AS text FROM generate_series(1, %d) n", dataMiB(t)<<10))
	t.Logf("%s MiB", psql(t, leader, "SELECT sum(pg_database_size(oid))::bigint >> 20 FROM pg_database"))
}

// fill leaves so many MiB free on the data volumes of nodes, until free is called.
func fill(t *testing.T, mib int, names ...string) (free func()) {
	t.Helper()
	const file = "/var/lib/postgresql/filler"
	for _, name := range names {
		on(t, name, "sh", "-ec", `fallocate --length $(($(df --output=avail --block-size=1M "$0" | tail -n 1) - $1))M "$2"`, filepath.Dir(file), strconv.Itoa(mib), file)
	}
	return func() {
		for _, name := range names {
			on(t, name, "rm", file)
		}
	}
}

// runs checks which version all nodes run.
func (platform) runs(t *testing.T, version string) {
	t.Helper()
	settled(t)
	for _, name := range nodes {
		assert.Equal(t, version, psql(t, name, "SELECT current_setting('server_version_num')::int / 10000"), name)
	}
}

// keepers are the nodes that have the former data.
func (platform) keepers(t *testing.T) (names []string) {
	t.Helper()
	for _, name := range nodes {
		if _, err := hardware.do("exec", name, "test", "-e", "/var/lib/postgresql/data-15/PG_VERSION"); err == nil {
			names = append(names, name)
		}
	}
	return names
}
