package zone

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHowToAsk(t *testing.T) {
	t.Parallel()
	a := HealthArgs{Domain: "example.org", Servers: []string{"10.0.0.5", "[fd00::6]:53", "10.0.0.7:1053"}}
	assert.Equal(t, "How to ask the servers of example.org:\n  dig @10.0.0.5 example.org SOA\n  dig @fd00::6 example.org SOA\n  dig @10.0.0.7 -p 1053 example.org SOA", a.howToAsk(nil))
	same := HealthArgs{Domain: "example.org", Servers: []string{"[fd00::6]:53", "10.0.0.5", "10.0.0.7:1053"}}
	assert.Empty(t, a.howToAsk(&HealthState{HealthArgs: same}), "it was said before")
	fewer, other := HealthArgs{Domain: a.Domain, Servers: a.Servers[:1]}, HealthArgs{Domain: "example.com", Servers: a.Servers}
	assert.NotEmpty(t, a.howToAsk(&HealthState{HealthArgs: fewer}))
	assert.NotEmpty(t, a.howToAsk(&HealthState{HealthArgs: other}))
}
