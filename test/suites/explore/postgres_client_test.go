package explore

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/numbers"
)

// postgresNumbers are numbers in a database.
type postgresNumbers struct {
	numbers.Postgres
	subject *postgresSubject
}

func (n postgresNumbers) able() bool { return n.subject.able() }

// stale is as long as a leader that was frozen may need to find its lock gone. Nothing stops
// it earlier, since these machines have no watchdog: it answers reads, and its writes wait.
func (n postgresNumbers) stale() time.Duration { return time.Minute }

func (n postgresNumbers) answering(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	said, err := n.Query(ctx, "SELECT inet_server_addr(), pg_is_in_recovery(), timeline_id FROM pg_control_checkpoint()")
	if err != nil {
		return err.Error()
	}
	return said
}

// write begins to write, if the stack says how.
func (p *postgresSubject) write() {
	outputs := p.trial.Outputs()
	endpoints, _ := outputs["primary"].([]any)
	ca, _ := outputs["caCert"].(string)
	password, _ := outputs["password"].(string)
	if len(endpoints) == 0 || ca == "" || password == "" || !p.able() {
		return
	}
	to, err := postgresNumbers{numbers.InPostgres(p.trial.tb, ca, password, endpoints[0]), p}, error(nil)
	for range 60 {
		once, cancel := context.WithTimeout(p.trial.tb.Context(), 10*time.Second)
		_, err = to.Query(once, numbers.Table)
		cancel()
		if err == nil {
			p.writer = startWriter(p.trial.tb, to, 10*time.Second, 200*time.Millisecond)
			return
		}
		time.Sleep(time.Second)
	}
	require.NoError(p.trial.tb, err)
}
