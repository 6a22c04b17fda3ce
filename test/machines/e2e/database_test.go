//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// database is the cluster as its clients see it: through the load balancers.
type database struct {
	ca, password string
	at           string // where clients come to, if it is not the virtual address
	pooled       string // password of the user who comes by the pools, if clients do

	mutex        sync.Mutex
	tried        int
	acknowledged []int // numbers of rows that the cluster said it has
}

const primaryPort, replicaPort = 5432, 5433

// query runs a statement and gives what it prints.
func (d *database) query(port int, statement string) (string, error) {
	user, password := "postgres", d.password
	if d.pooled != "" {
		user, password, port = pooledUser, d.pooled, port+poolerPort-primaryPort
	}
	return d.queryAs(user, password, port, statement)
}

func (d *database) queryAs(user, password string, port int, statement string) (string, error) {
	address := fmt.Sprintf("host=%s port=%d user=%s dbname=postgres connect_timeout=5 sslmode=verify-full sslrootcert=%s", cmp.Or(d.at, sharedIP), port, user, d.ca)
	return sandbox("shell", "timeout", "5", "env", "PGPASSWORD="+password,
		"psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname="+address, "--command="+statement)
}

func (d *database) must(t *testing.T, statement string) string {
	t.Helper()
	out, err := d.query(primaryPort, statement)
	require.NoError(t, err)
	return out
}

// write adds the next row; one that fails may be there nevertheless.
func (d *database) write() error {
	return d.insert(func(statement string) error {
		_, err := d.query(primaryPort, statement)
		return err
	})
}

// insert is write for a client that comes by a way of its own.
func (d *database) insert(do func(statement string) error) error {
	d.mutex.Lock()
	d.tried++
	row := d.tried
	d.mutex.Unlock()
	if err := do(fmt.Sprintf("INSERT INTO numbers VALUES (%d)", row)); err != nil {
		return err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.acknowledged = append(d.acknowledged, row)
	return nil
}

// whileWriting has a client write row after row before, during and after what
// is done: writes go on, and none that was acknowledged is lost.
func (d *database) whileWriting(t *testing.T, during func()) {
	t.Helper()
	gaps := while(t, map[string]func() error{"write": d.write}, during)
	t.Logf("the longest time from one acknowledged write to the next: %s", gaps["write"])
	d.hasAll(t)
}

// hasAll checks that no acknowledged row is lost.
func (d *database) hasAll(t *testing.T) {
	t.Helper()
	d.mutex.Lock()
	acknowledged := append([]int(nil), d.acknowledged...)
	d.mutex.Unlock()
	var rows string
	wait(t, "the rows", func() (err error) {
		rows, err = d.query(primaryPort, "SELECT n FROM numbers")
		return err
	})
	has := map[string]bool{}
	for _, row := range strings.Fields(rows) {
		has[row] = true
	}
	for _, row := range acknowledged {
		assert.True(t, has[fmt.Sprint(row)], "row %d was acknowledged and is lost", row)
	}
}

// works waits until rows can be written, and finds all that were.
func (d *database) works(t *testing.T) {
	t.Helper()
	wait(t, "a write", d.write)
	d.hasAll(t)
}
