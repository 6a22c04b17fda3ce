package change

import (
	"context"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// TestGrowthIsOfTheVolume has what is told of a growth be as the volume is, whatever the state says.
func TestGrowthIsOfTheVolume(t *testing.T) {
	t.Parallel()
	of := func(data string) MachineArgs {
		cluster := "main"
		return MachineArgs{Cluster: &cluster, Effects: map[string]string{guest.DataAnew: data}}
	}
	sized := func(text string, size int) string {
		return guest.Sized(guest.Hash(text), size, guest.Hash(text, "with it"))
	}
	grows := []string{guest.DataGrows}
	for _, c := range []struct {
		what        string
		told        running.Parts // nil for nothing
		before, now string
		want        []string
		decides     bool
	}{
		{"nothing is told", nil, sized("a", 1), sized("a", 2), grows, false},
		{"it grows", running.Parts{"1"}, sized("a", 1), sized("a", 2), grows, true},
		{"it has grown in an update that left the rest out", running.Parts{}, sized("a", 1), sized("a", 2), nil, false},
		{"it has not grown in an update that told it", running.Parts{"1"}, sized("a", 2), sized("a", 2), grows, true},
		{"it is changed otherwise", running.Parts{"2"}, sized("a", 2), sized("a", 2), nil, false},
		{"it is another one", running.Parts{}, sized("a", 1), sized("b", 2), []string{guest.DataAnew}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			tracked := running.Track(p.Provider{Update: func(ctx context.Context, _ p.UpdateRequest) (p.UpdateResponse, error) {
				if c.told != nil {
					running.Note(ctx, "quorum:index:EtcdCluster$main-etcd-1-data-volume", func(now *running.Parts) { *now = c.told })
				}
				now := of(c.now)
				assert.Equal(t, c.want, Said(now.asFound(ctx, "main-etcd-1", of(c.before)).Effects, now.Effects))
				inputs := property.NewMap(map[string]property.Value{
					"cluster": property.New("main"),
					"effects": property.New(property.NewMap(map[string]property.Value{guest.DataAnew: property.New(c.now)})).WithSecret(true),
				})
				assert.Equal(t, c.decides, Machine{}.Decide(ctx, p.DiffRequest{ID: "main-etcd-1", Inputs: inputs}, nil).HasChanges)
				return p.UpdateResponse{}, nil
			}})
			_, err := tracked.Update(t.Context(), p.UpdateRequest{
				Urn: urn.URN("urn:pulumi:dev::test::quorum:index:EtcdCluster$quorum:index:EtcdServer$quorum:index:MachineChange::main-etcd-1"),
			})
			require.NoError(t, err)
		})
	}
}
