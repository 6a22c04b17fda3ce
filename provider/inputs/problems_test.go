package inputs_test

import (
	"encoding/json"
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   map[string]property.Value
		want string
	}{
		"missing":         {good("etcd", property.Value{}), "etcd: is required, and is null: if it comes from another stack, that stack is not up, or has no output of this name. Run `pulumi up` there first, or check the name"},
		"missing in item": {good("etcd.peers", list(object("name", text("etcd-1")))), "etcd.peers[0].ip: is required"},
		"typo": {
			good("etcd.qouta", number(1)),
			"etcd.qouta: is not known here. Did you mean quota? It has auth, dns, mode, named, params, peers, quota and ratio",
		},
		"far off": {
			good("libvirt.colour", number(1)), "libvirt.colour: is not known here; it has running, vcpus and volumeId",
		},
		"enum":            {good("etcd.mode", text("hourly")), `etcd.mode: must be periodic or revision, not "hourly"`},
		"enum of a kind":  {good("etcd.mode", list()), `etcd.mode: must be a string, not a list`},
		"object":          {good("libvirt", text("x")), "libvirt: must be an object, not a string"},
		"list":            {good("etcd.peers", object()), "etcd.peers: must be a list, not an object"},
		"map":             {good("etcd.params", list()), "etcd.params: must be a map, not a list"},
		"null item":       {good("etcd.dns", list(property.Value{})), "etcd.dns[0]: must not be null: if it comes from another stack, that stack is not up, or has no output of this name. Run `pulumi up` there first, or check the name"},
		"string at depth": {good("etcd.peers.0.ip", list()), "etcd.peers[0].ip: must be a string, not a list"},
		"in a map":        {good("etcd.named", object("a", object("name", text("a"), "ip", text("1"), "port", text("x")))), `etcd.named.a.port: must be a whole number, not "x"`},
		"fraction":        {good("libvirt.vcpus", number(1.5)), "libvirt.vcpus: must be a whole number, not 1.5"},
		"inexact":         {good("libvirt.vcpus", text("010")), `libvirt.vcpus: must be a whole number, not "010"`},
		"too big":         {good("libvirt.vcpus", number(1e30)), "libvirt.vcpus: must be a whole number, not 1000000000000000000000000000000"},
		"number":          {good("etcd.ratio", text("NaN")), `etcd.ratio: must be a number, not "NaN"`},
		"boolean":         {good("libvirt.running", text("yes")), `libvirt.running: must be true or false, not "yes"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, preview := range []bool{true, false} {
				s := newServer(t)
				_, err := s.construct(c.in, preview)
				require.EqualError(t, err, "its inputs are refused:\n  "+c.want)
				assert.Empty(t, s.monitor.made, "nothing is registered")
			}
		})
	}
}

func TestScalarsAreTakenForEachOtherWhereNothingIsLost(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := s.construct(good(
		"etcd.params", object("a", number(3.5), "b", property.New(true), "c", number(100), "d", property.Value{}),
		"libvirt.vcpus", text("4"), "etcd.ratio", text("0.5"), "libvirt.running", text("false"),
		"token", number(12345)), false)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "3.5", "b": "true", "c": "100"}, s.args.Etcd.Params)
	assert.Equal(t, 4, *s.args.Libvirt.Vcpus)
	assert.InDelta(t, 0.5, *s.args.Etcd.Ratio, 0)
	assert.False(t, *s.args.Libvirt.Running)
	assert.Equal(t, "12345", *s.args.Token)
	assert.InDelta(t, 4, s.child().Inputs["vcpus"].NumberValue(), 0, "children get it as a number too")
}

func TestNoMessageShowsASecret(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]map[string]property.Value{
		"by schema": good("etcd.auth", object("password", text("hunt2"))),
		"quoted":    good("etcd.auth", object("password", text("hunt\n"))),
		"wrapped":   good("etcd.peers.0.ip", text("hunt2").WithSecret(true)),
		"under":     good("etcd.peers", list(object("name", text("etcd-1"), "ip", text("hunt2"))).WithSecret(true)),
		"enum":      good("etcd.mode", text("hunt2").WithSecret(true)),
		"number":    good("libvirt.vcpus", text("hunt2").WithSecret(true)),
		"misplaced": good("etcd.auth", object("passwort", text("hunt2").WithSecret(true))),
		"as object": good("etcd.auth", text("hunt2")),
		"rendering": good("name", text("fails"), "etcd.peers.0.name", text("fails"), "etcd.auth", object("password", text("hunt2hunt2"))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newServer(t).construct(in, false)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "hunt")
		})
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	resp, err := newServer(t).GetSchema(p.GetSchemaRequest{})
	require.NoError(t, err)
	assert.NotContains(t, resp.Schema, `"plain"`)
	assert.NotContains(t, resp.Schema, `"default"`)
	assert.Contains(t, resp.Schema, `respectSchemaVersion`)
	var spec struct {
		Resources map[string]struct {
			RequiredInputs  []string
			InputProperties map[string]struct{ Secret bool }
			Properties      map[string]struct{ Secret bool }
		}
		Types map[string]struct {
			Required   []string
			Properties map[string]struct {
				Description string
				Secret      bool
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(resp.Schema), &spec))
	member := spec.Resources["quorum:index:Member"]
	assert.Equal(t, []string{"etcd"}, member.RequiredInputs)
	assert.True(t, member.InputProperties["token"].Secret)
	assert.True(t, member.Properties["key"].Secret)
	etcd := spec.Types["quorum:index:Etcd"]
	assert.Equal(t, "How history is counted. Defaults to `periodic`.", etcd.Properties["mode"].Description)
	assert.Equal(t, "Defaults to `8589934592`.", etcd.Properties["quota"].Description)
	assert.True(t, spec.Types["quorum:index:Auth"].Properties["password"].Secret)
	for name := range member.Properties {
		assert.False(t, strings.Contains(name, ","), name)
	}
}
