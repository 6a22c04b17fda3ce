package zone_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

func TestDrift(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	up(t, r, c.zone(t, "192.0.2.1"))
	before := r.inputs
	r.refresh(t)
	require.Equal(t, before, r.inputs, "nothing has changed")

	byHand := "@ 60 SOA a b 3000000000 1 1 1 1\nwww 60 A 192.0.2.9\n" // ahead of the time
	c.put(t, byHand)
	_, err := r.up(t, c.zone(t, "192.0.2.2"))
	require.ErrorContains(t, err, "/zones/example.org was changed in etcd by someone else: `pulumi refresh` shows the change, and the next `pulumi up` starts from it")
	kept, _ := c.get(t)
	require.Equal(t, byHand, kept)

	r.refresh(t)
	require.Equal(t, byHand, r.inputs.Get("zoneFile").AsString())
	require.True(t, r.inputs.Get("records").IsNull())
	require.InDelta(t, 3000000000, r.state.Get("serial").AsNumber(), 0)
	up(t, r, c.zone(t, "192.0.2.2"))
	require.InDelta(t, 3000000001, c.kept(t, r, "192.0.2.2"), 0)

	c.put(t, "no zone")
	serial := r.state.Get("serial").AsNumber()
	r.refresh(t)
	up(t, r, c.zone(t, "192.0.2.2"))
	require.Greater(t, c.kept(t, r, "192.0.2.2"), serial)

	_, err = c.root.Delete(t.Context(), "/zones/example.org")
	require.NoError(t, err)
	_, err = r.up(t, c.zone(t, "192.0.2.3"))
	require.ErrorContains(t, err, "was changed in etcd by someone else")
	r.refresh(t)
	require.Empty(t, r.id, "it is to be made again")
	up(t, r, c.zone(t, "192.0.2.3"))
	c.kept(t, r, "192.0.2.3")
}

func TestAway(t *testing.T) {
	t.Parallel()
	c, r := newCluster(t), newResource(t, "DnsZone")
	up(t, r, c.zone(t, "192.0.2.1"))
	c.Stop()
	_, err := r.up(t, c.zone(t, "192.0.2.2"))
	require.ErrorContains(t, err, "etcd does not answer at "+c.Endpoint)
	was := r.state
	r.refresh(t)
	require.Equal(t, was, r.state, "a refresh that failed would end the update that brings etcd back")
	require.ErrorContains(t, r.remove(), "zone /zones/example.org was not deleted from etcd: etcd does not answer at "+c.Endpoint)
	require.NoError(t, r.elsewhere(t).erase(), "without a program, what is in a cluster that is gone is gone")

	checked := r.check(t, c.zone(t, "192.0.2.3"))
	made, err := r.server.Create(p.CreateRequest{Urn: r.urn, Properties: checked, DryRun: true})
	require.NoError(t, err, "preview asks nobody")
	require.True(t, made.Properties.Get("serial").IsComputed())
	changed, err := r.server.Update(p.UpdateRequest{ID: r.id, Urn: r.urn, State: r.state, OldInputs: r.inputs, Inputs: checked, DryRun: true})
	require.NoError(t, err)
	require.True(t, changed.Properties.Get("serial").IsComputed())
	require.Equal(t, "/zones/example.org", changed.Properties.Get("key").AsString())
	same := r.check(t, c.zone(t, "192.0.2.1", map[string]property.Value{"etcd": c.connection(t, "other")}))
	kept, err := r.server.Update(p.UpdateRequest{ID: r.id, Urn: r.urn, State: r.state, OldInputs: r.inputs, Inputs: same, DryRun: true})
	require.NoError(t, err)
	require.Equal(t, r.state.Get("serial"), kept.Properties.Get("serial"), "known, for those who wait for it")
}

func TestImport(t *testing.T) { // it sets the environment, so not beside others
	c, r := newCluster(t), newResource(t, "DnsZone")
	ca := filepath.Join(t.TempDir(), "ca.crt")
	require.NoError(t, os.WriteFile(ca, []byte(embedetcd.PKI(t, "ca.crt")), 0o600))
	read := func() (p.ReadResponse, error) {
		return r.server.Read(p.ReadRequest{ID: "/zones/example.org", Urn: r.urn})
	}
	_, err := read()
	require.ErrorContains(t, err, "to import, set the environment variables by which etcdctl reaches etcd: ETCDCTL_ENDPOINTS")
	for name, value := range map[string]string{"ENDPOINTS": "https://" + c.Endpoint, "CACERT": ca, "USER": "dns:secret word"} {
		t.Setenv("ETCDCTL_"+name, value)
	}
	found, err := read()
	require.NoError(t, err)
	require.Empty(t, found.ID, "there is none")
	c.put(t, "no zone")
	_, err = read()
	require.ErrorContains(t, err, "/zones/example.org does not hold a zone of example.org that can be imported")

	text := "@ 300 SOA ns.example.net. hostmaster 7 86400 7200 3600000 60\n@ 300 NS ns.example.net.\nwww 300 A 192.0.2.1\n"
	c.put(t, text)
	found, err = read()
	require.NoError(t, err)
	require.Equal(t, text, found.Inputs.Get("zoneFile").AsString())
	require.Equal(t, "/zones/", found.Inputs.Get("keyPrefix").AsString())
	require.NotContains(t, fmt.Sprint(found.Inputs), "secret word", "it would be in the program in clear")
	require.True(t, found.Properties.Get("etcd").AsMap().Get("password").Secret())

	r.id, r.inputs, r.state = found.ID, found.Inputs, found.Properties
	up(t, r, c.zone(t, "192.0.2.1"))
	kept, _ := c.get(t)
	require.Equal(t, text, kept, "the same zone is left as it is")
	up(t, r, c.zone(t, "192.0.2.2"))
	require.Greater(t, c.kept(t, r, "192.0.2.2"), 7.0)
}
