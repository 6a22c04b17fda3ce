package inputs_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	volume = resource.URN("urn:pulumi:stack::project::libvirt:index/volume:Volume::v")
	other  = resource.URN("urn:pulumi:stack::project::libvirt:index/volume:Volume::o")
)

func TestPlain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	resp, err := s.construct(good("etcd.dns", list(text("9.9.9.9"))), false)
	require.NoError(t, err)
	assert.Equal(t, "etcd-1 x 1", resp.State.Get("userData").AsString())
	assert.True(t, resp.State.Get("userData").Secret(), "what is rendered is secret")
	assert.True(t, resp.State.Get("key").Secret(), "as the schema says")
	assert.InDelta(t, 2, resp.State.Get("vcpus").AsNumber(), 0)
	in := s.child().Inputs
	assert.Equal(t, "/v", in["volumeId"].StringValue())
	assert.InDelta(t, 2, in["vcpus"].NumberValue(), 0, "the default")
	assert.Equal(t, "9.9.9.9", in["dns"].ArrayValue()[0].StringValue())
	assert.Equal(t, "10.0.0.1", in["ip"].StringValue())
	assert.NotContains(t, in, resource.PropertyKey("running"), "absent is nil")
	assert.Empty(t, in["required"].StringValue())
}

// TestEmbedded is of inputs that stand in a struct for several components.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := s.construct(good("pin", text("1234")), false)
	require.NoError(t, err)
	assert.Equal(t, "local", *s.args.Zone, "its default")
	assert.Equal(t, "1234", *s.args.PIN)
	_, err = s.construct(good("zone", list()), false)
	require.ErrorContains(t, err, "zone: must be a string")
}

func TestDefaultsAtEveryDepth(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := s.construct(good(
		"etcd.named", object("a", object("name", text("a"), "ip", text("10.0.0.1"))),
		"etcd.auth", object("password", text("hunter2"))), false)
	require.NoError(t, err)
	assert.Equal(t, "etcd-1", *s.args.Name)
	assert.Equal(t, Mode("periodic"), *s.args.Etcd.Mode)
	assert.Equal(t, 8<<30, *s.args.Etcd.Quota)
	assert.Equal(t, 2380, *s.args.Etcd.Peers[0].Port)
	assert.Equal(t, 2380, *s.args.Etcd.Named["a"].Port)
	assert.Equal(t, "root", *s.args.Etcd.Auth.User)
	assert.Nil(t, s.args.Cloud, "an optional object stays absent")
}

func TestSecretsAreUnwrappedAndStaySecretOnLeaves(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := s.construct(good("libvirt", object("volumeId", text("/v"), "vcpus", number(4)).WithSecret(true),
		"token", text("by-schema")), false)
	require.NoError(t, err)
	assert.Equal(t, "/v", *s.args.Libvirt.VolumeID)
	assert.True(t, s.child().Inputs["volumeId"].IsSecret(), "taken over from the object")
	assert.True(t, s.child().Inputs["required"].IsSecret(), "taken over from the schema")
	assert.True(t, s.child().Inputs["userData"].IsSecret())
}

func TestDependenciesStayOnTheirLeaf(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := s.construct(good(
		"libvirt.volumeId", text("/v").WithDependencies([]resource.URN{volume}),
		"libvirt.vcpus", number(4),
		"etcd.peers", list(object("name", text("etcd-1"), "ip", text("10.0.0.1"))).
			WithDependencies([]resource.URN{other})), false)
	require.NoError(t, err)
	deps := s.child().RegisterRPC.GetPropertyDependencies()
	assert.Equal(t, []string{string(volume)}, deps["volumeId"].GetUrns())
	assert.Empty(t, deps["vcpus"].GetUrns())
	assert.Equal(t, []string{string(other)}, deps["ip"].GetUrns(), "taken over from the list")
	assert.ElementsMatch(t, []string{string(volume), string(other)}, deps["userData"].GetUrns())
}

func TestUnknowns(t *testing.T) {
	t.Parallel()
	t.Run("leaf", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		resp, err := s.construct(good("libvirt.volumeId", unknown.WithDependencies([]resource.URN{volume}).WithSecret(true),
			"libvirt.running", text("true")), true)
		require.NoError(t, err)
		assert.True(t, resp.State.Get("userData").IsComputed())
		in := s.child().Inputs
		assert.True(t, in["volumeId"].ContainsUnknowns())
		assert.True(t, in["userData"].ContainsUnknowns())
		assert.InDelta(t, 2, in["vcpus"].NumberValue(), 0, "known beside it")
		assert.True(t, in["running"].BoolValue())
		assert.Equal(t, []string{string(volume)}, s.child().RegisterRPC.GetPropertyDependencies()["volumeId"].GetUrns())
		assert.Equal(t, map[string]bool{
			"etcd": true, "etcd.peers[0].ip": true, "libvirt": false, "libvirt.volumeId": false, "name": true,
		}, s.known)
		require.NotNil(t, s.args.Libvirt.VolumeID, "unknown is not absent")
		assert.Empty(t, *s.args.Libvirt.VolumeID)
	})
	t.Run("object", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		_, err := s.construct(good("libvirt", unknown, "etcd", unknown), true)
		require.NoError(t, err)
		assert.True(t, s.child().Inputs["volumeId"].ContainsUnknowns())
		assert.True(t, s.child().Inputs["ip"].ContainsUnknowns())
		assert.NotNil(t, s.args.Libvirt)
	})
	t.Run("item", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		_, err := s.construct(good("etcd.peers", list(unknown)), true)
		require.NoError(t, err)
		assert.Len(t, s.args.Etcd.Peers, 1)
	})
	t.Run("beside bad", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		_, err := s.construct(good("etcd.auth", object("password", unknown, "level", text("x")),
			"etcd.peers", list(object("name", unknown, "ip", text("10.0.0")), object("name", text("b"), "ip", unknown)),
			"cloud", object("volumeId", unknown)), true)
		assert.EqualError(t, err, `its inputs are refused:
  etcd.auth.level: must be periodic or revision, not "x"
  libvirt: give exactly one of libvirt and cloud
  etcd.peers: must be an odd number of peers, not 2
  etcd.peers[0].ip: must be an IP address, not "10.0.0"`)
	})
}

// Of a failed child the engine tells itself; what waited for it is of no use.
func TestChildFails(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.monitor.fails = map[string]error{"etcd-1-child": status.Error(codes.Canceled, "the child failed")}
	_, err := s.construct(good("token", text("t")), false)
	require.EqualError(t, err, "not all of its resources could be created or updated: see the error of the resource that failed")
}
