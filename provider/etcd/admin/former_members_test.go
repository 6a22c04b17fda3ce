package admin

import (
	"context"
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// TestAsksThoseThatLeft has all members of the program, and some of those that left it, be
// away: those that left and serve are asked, and none of them while one of the program does.
func TestAsksThoseThatLeft(t *testing.T) {
	t.Parallel()
	e := embedetcd.Start(t, false)
	off := embedetcd.Away["nobody listens"](t, e)
	frozen := embedetcd.Away["it accepts and never answers"](t, e)
	expired := embedetcd.Away["its certificate has expired"](t, e)
	foreign := embedetcd.Away["its certificate is of another authority"](t, e)
	for name, c := range map[string]struct{ program, left, asked []string }{
		"nobody left":                             {[]string{off}, nil, nil},
		"off":                                     {[]string{off}, []string{e.Endpoint}, []string{e.Endpoint}},
		"frozen, and one that left is, too":       {[]string{frozen}, []string{frozen, e.Endpoint}, []string{e.Endpoint}},
		"expired, and one that left is off":       {[]string{expired, off}, []string{off, e.Endpoint}, []string{e.Endpoint}},
		"all, also those that left":               {[]string{off, frozen}, []string{expired}, nil},
		"one whose address another cluster has":   {[]string{off}, []string{foreign, e.Endpoint}, []string{e.Endpoint}},
		"one of the program serves beside frozen": {[]string{frozen, e.Endpoint}, []string{e.Endpoint}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asks := running.Track(p.Provider{Delete: func(ctx context.Context, _ p.DeleteRequest) error {
				running.Note(ctx, strings.Join(c.program, " "), func(now *formerEndpoints) { *now = c.left })
				connection := e.Connection(t)
				connection.Endpoints = c.program
				assert.Equal(t, c.asked, leftEndpoints(ctx, connection))
				return nil
			}})
			require.NoError(t, asks.Delete(t.Context(), p.DeleteRequest{}))
		})
	}
}
