package inputs

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	assert.Equal(t, ". Did you mean volumeId? It has size and volumeId", suggest("volumeID", []string{"size", "volumeId"}))
	assert.Equal(t, "; it has ip", suggest("xy", []string{"ip"}), "no longer than the name itself")
	assert.Equal(t, "; it has no inputs", suggest("x", nil))
}

func TestLookup(t *testing.T) {
	t.Parallel()
	type leaf struct {
		IP *string `pulumi:"ip,optional"`
	}
	type root struct {
		List []leaf           `pulumi:"list"`
		Map  map[string]*leaf `pulumi:"map"`
		Opt  *leaf            `pulumi:"opt,optional"`
	}
	ip := "10.0.0.1"
	v := reflect.ValueOf(root{List: []leaf{{&ip}}, Map: map[string]*leaf{"a": {&ip}}})
	for path, want := range map[string]any{
		"list[0].ip": ip, "map.a.ip": ip, "list[1].ip": nil, "map.b.ip": nil, "opt.ip": nil, "opt": nil,
	} {
		got, err := lookup(v, path)
		require.NoError(t, err, path)
		if want == nil {
			assert.False(t, got.IsValid(), path)
		} else {
			assert.Equal(t, want, got.Interface(), path)
		}
	}
	for _, path := range []string{"no", "opt.no", "list.x", "opt.ip.x"} {
		_, err := lookup(v, path)
		assert.Error(t, err, path)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	var s secrets
	s.add("ab")
	s.add("hunter")
	s.add("hunter2")
	assert.Equal(t, "ab [secret] [secret]3", s.redact("ab hunter2 hunter3"))
	assert.Equal(t, `must be able, not "[secret]"`, s.redact(`must be able, not "ab"`))
	s.add("5")
	assert.Equal(t, "must be from 15 to 50, not [secret]", s.redact("must be from 15 to 50, not 5"))
	s.add("secret")
	assert.Equal(t, `is [secret], not "[secret]"`, s.redact(`is secret, not "ab"`), "what stands for one is no place of another")
	s.add("[fd00::1]:2379")
	s.add(`one, "another", to`)
	assert.Equal(t, "at [secret], of [secret] and [secret] to it", s.redact("at fd00::1, of one and another to it"))
	for secret, of := range map[string]struct{ said, want string }{
		"1536MB":       {"must be less than 1 GiB, not 1.5 GiB: 11.5 GiB", "must be less than 1 GiB, not [secret]: 11.5 GiB"},
		"196608":       {"is 1.5 GiB of 2 GiB", "is [secret] of 2 GiB"},
		" 3 MB ":       {"is 3 MiB, of 13 MiB, and 3 KiB", "is [secret], of 13 MiB, and 3 KiB"},
		"0x600":        {"is 1.5 MiB", "is [secret]"},
		"8589934592":   {"a database of 8 GiB", "a database of [secret]"},
		"OFF":          {"is off: it is on, in what is official", "is [secret]: it is on, in what is [secret]icial"},
		"No":           {"must not be no: a node has none", "must not be [secret]: a node has none"},
		"97":           {"reserved (97) and 97", "reserved ([secret]) and 97"},
		"not a number": {"is 3 MiB", "is 3 MiB"},
	} {
		var s secrets
		s.add(secret)
		assert.Equal(t, of.want, s.redact(of.said), secret)
	}
	problems := []check.Problem{{Path: "hunter.password", Reason: "must not be hunter"}}
	assert.Equal(t, "hunter.password: must not be [secret]", s.redactAll(problems)[0].String())
	assert.Equal(t, "must not be hunter", problems[0].Reason)
	problems = []check.Problem{{Path: "hunter.password", Reason: "is the same as hunter.key", Silent: true}}
	assert.Equal(t, problems, s.redactAll(problems))
}
