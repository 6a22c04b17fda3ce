package clusters

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/numbers"
)

// superuser asks through load balancers.
func (d *database) superuser(t *testing.T, endpoints ...any) numbers.Postgres {
	t.Helper()
	return numbers.InPostgres(t, d.Output("caCert"), d.Output("password"), endpoints...)
}

// write has a client write to the cluster, by way of all load balancers.
func (d *database) write(t *testing.T) *writer {
	t.Helper()
	primary := d.Outputs()["primary"].([]any)
	d.ask(t, numbers.Table, primary...)
	return write(t, d.superuser(t, primary...))
}

// ask asks until there is an answer: on a machine that is busy, leaders lose
// their lock.
func (d *database) ask(t *testing.T, query string, endpoints ...any) (answer string) {
	t.Helper()
	s := d.superuser(t, endpoints...)
	require.Eventually(t, func() bool {
		var err error
		if answer, err = s.Query(t.Context(), query); err != nil {
			t.Log(err)
		}
		return err == nil
	}, 2*time.Minute, time.Second)
	return answer
}
