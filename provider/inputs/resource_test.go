package inputs_test

import (
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResourceProblems(t *testing.T) {
	t.Parallel()
	s := newThings(t)
	in, problems := s.check(t, "colour", text("x"), "name", text("much-too-long"),
		"auth", object("password", text("hunt2"), "level", text("hourly")),
		"peers", list(object("name", text("a"), "ip", text("10.0.0")), object("name", text("b"))))
	assert.ElementsMatch(t, []string{
		"colour: is not known here; it has auth, keys, name, peers, pins and token",
		`name: must be short, not "much-too-long"`,
		`auth.level: must be periodic or revision, not "hourly"`,
		`auth.password: careless: "[secret]" is too short`,
		`peers[0].ip: must be an IP address, not "10.0.0"`,
		"peers[1].ip: is required",
	}, problems)
	assert.Zero(t, in.Len())
}

func TestResourceUnknowns(t *testing.T) {
	t.Parallel()
	s := newThings(t)
	in, problems := s.check(t, "auth", object("password", unknown), "token", unknown, "name", unknown,
		"peers", list(object("name", text("a"), "ip", unknown), object("name", text("b"), "ip", text("1"))))
	assert.Equal(t, []string{`peers[1].ip: must be an IP address, not "1"`}, problems)
	assert.Zero(t, in.Len())

	in, problems = s.check(t, "auth", object("password", unknown), "token", unknown, "name", unknown,
		"peers", list(object("name", text("a"), "ip", unknown)))
	require.Empty(t, problems)
	assert.True(t, in.Get("name").IsComputed())
	assert.True(t, in.Get("token").IsComputed() && in.Get("token").Secret())
	assert.True(t, in.Get("auth").AsMap().Get("password").IsComputed())
	assert.Equal(t, "root", in.Get("auth").AsMap().Get("user").AsString(), "the default beside it")
	assert.True(t, in.Get("peers").AsArray().Get(0).AsMap().Get("ip").IsComputed())
	assert.Equal(t, "a", in.Get("peers").AsArray().Get(0).AsMap().Get("name").AsString())
	for _, id := range []string{"", "thing-1"} {
		var out property.Map
		if id == "" {
			resp, err := s.Create(p.CreateRequest{Urn: thing, Properties: in, DryRun: true})
			require.NoError(t, err)
			out = resp.Properties
		} else {
			resp, err := s.Update(p.UpdateRequest{Urn: thing, ID: id, State: object("name", text("x")).AsMap(), Inputs: in, DryRun: true})
			require.NoError(t, err)
			out = resp.Properties
		}
		assert.True(t, out.Get("token").IsComputed() && out.Get("token").Secret())
		assert.True(t, out.Get("auth").HasComputed())
	}
}

func TestResourceTakesScalarsForEachOther(t *testing.T) {
	t.Parallel()
	in, problems := newThings(t).check(t, "token", number(12345), "keys", object("a", number(3.5)),
		"peers", list(object("name", text("a"), "ip", text("10.0.0.1"), "port", text("80"))))
	require.Empty(t, problems)
	assert.Equal(t, "thing-1", in.Get("name").AsString(), "that of the resource")
	assert.Equal(t, "12345", in.Get("token").AsString())
	assert.Equal(t, "3.5", in.Get("keys").AsMap().Get("a").AsString())
	assert.InDelta(t, 80, in.Get("peers").AsArray().Get(0).AsMap().Get("port").AsNumber(), 0)
}

// TestResourceSecrets requires all that the schema calls secret to be so, given in
// plain or found, and what else was given as secret.
func TestResourceSecrets(t *testing.T) {
	t.Parallel()
	s := newThings(t)
	in, problems := s.check(t, "auth", object("password", text("hunter2")), "token", text("hunter2"),
		"peers", list(object("name", text("hunter2"), "ip", text("10.0.0.1"))).WithSecret(true))
	require.Empty(t, problems)
	created, err := s.Create(p.CreateRequest{Urn: thing, Properties: in})
	require.NoError(t, err)
	updated, err := s.Update(p.UpdateRequest{Urn: thing, ID: "thing-1", State: created.Properties, Inputs: in})
	require.NoError(t, err)
	for _, values := range []property.Map{in, created.Properties, updated.Properties} {
		assert.Empty(t, inPlain(property.New(values), "hunter2"))
		assert.False(t, values.Get("name").Secret())
		assert.False(t, values.Get("auth").AsMap().Get("user").Secret(), "no more than what is")
	}
	read, err := s.Read(p.ReadRequest{Urn: thing, ID: "thing-1"})
	require.NoError(t, err)
	for _, values := range []property.Map{read.Inputs, read.Properties} {
		assert.Equal(t, "found", values.Get("token").AsString())
		assert.Empty(t, inPlain(property.New(values), "found"))
	}
}

// inPlain are the texts in v that begin so and are not secret.
func inPlain(v property.Value, prefix string) (found []string) {
	switch {
	case v.Secret():
	case v.IsMap():
		for _, e := range v.AsMap().All {
			found = append(found, inPlain(e, prefix)...)
		}
	case v.IsArray():
		for _, e := range v.AsArray().All {
			found = append(found, inPlain(e, prefix)...)
		}
	case v.IsString() && strings.HasPrefix(v.AsString(), prefix):
		found = append(found, v.AsString())
	}
	return found
}

func TestResourceChanges(t *testing.T) {
	t.Parallel()
	s := newThings(t)
	peer := func(name, ip string) property.Value { return object("name", text(name), "ip", text(ip)) }
	a, b, c := peer("a", "10.0.0.1"), peer("b", "10.0.0.2"), peer("c", "10.0.0.3")
	update, replace, add, gone := p.Update, p.UpdateReplace, p.Add, p.Delete
	for name, change := range map[string]struct {
		before, after property.Value
		want          map[string]p.DiffKind
	}{
		"nothing":       {object("peers", list(a, b)), object("peers", list(a, b)), nil},
		"order":         {object("peers", list(a, b, c)), object("peers", list(c, a, b)), nil},
		"none or empty": {object("peers", list()), object(), nil},
		"name":          {object("name", text("x")), object("name", text("y")), map[string]p.DiffKind{"name": replace}},
		"hidden":        {object("token", text("x"), "peers", list(a)), object("token", text("y"), "peers", list(b)), map[string]p.DiffKind{"peers[0].ip": update, "peers[0].name": update}},
		"all is hidden": {object("token", text("x")), object("token", text("y")), map[string]p.DiffKind{"machines": update}},
		"first gone":    {object("peers", list(a, b, c)), object("peers", list(b, c)), map[string]p.DiffKind{"peers[0]": gone}},
		"new in front":  {object("peers", list(a)), object("peers", list(b, a)), map[string]p.DiffKind{"peers[0]": add}},
		"twice":         {object("peers", list(a)), object("peers", list(a, a)), map[string]p.DiffKind{"peers[1]": add}},
		"field of item": {object("peers", list(a, b)), object("peers", list(a, peer("b", "10.0.0.9"))), map[string]p.DiffKind{"peers[1].ip": update}},
		"unknown item":  {object("peers", list(a, b)), object("peers", list(a, unknown)), map[string]p.DiffKind{"peers[1]": update}},
		"nested": {
			object("auth", object("password", text("hunter1"), "user", text("x"))), object("auth", object("password", text("hunter2"))),
			map[string]p.DiffKind{"auth.password": update, "auth.user": update},
		},
		"optional object": {object(), object("auth", object("password", text("hunter2"))), map[string]p.DiffKind{"auth": add}},
		"key of a map":    {object("keys", object("a.b", text("1"))), object("keys", object("c", text("1"))), map[string]p.DiffKind{`keys["a.b"]`: gone, "keys.c": add}},
		"now secret":      {object("keys", object("a", text("1"))), object("keys", object("a", text("1").WithSecret(true))), map[string]p.DiffKind{"keys.a": update}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, problems := s.check(t, pairs(change.before)...)
			require.Empty(t, problems)
			after, problems := s.check(t, pairs(change.after)...)
			require.Empty(t, problems)
			resp, err := s.Diff(p.DiffRequest{Urn: thing, ID: "x", OldInputs: before, State: before, Inputs: after})
			require.NoError(t, err)
			got := map[string]p.DiffKind{}
			for path, diff := range resp.DetailedDiff {
				got[path] = diff.Kind
				assert.True(t, diff.InputDiff)
			}
			if change.want == nil {
				change.want = map[string]p.DiffKind{}
			}
			assert.Equal(t, change.want, got)
			assert.Equal(t, len(got) > 0, resp.HasChanges)
		})
	}
}
