package admin_test

import (
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

func keyed(text string) property.Map { return object("key", "/app", "value", text) }

// lies is the value of the key /app, or nothing.
func (w world) lies() string {
	w.t.Helper()
	found, err := w.root.Get(w.t.Context(), "/app")
	require.NoError(w.t, err)
	if len(found.Kvs) == 0 {
		return ""
	}
	return string(found.Kvs[0].Value)
}

func (w world) put(text string) {
	w.t.Helper()
	_, err := w.root.Put(w.t.Context(), "/app", text)
	require.NoError(w.t, err)
}

func TestKeyLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.made("EtcdKey", keyed(secret))
	assert.Equal(t, "/app", k.id)
	assert.Equal(t, secret, w.lies())
	k.hidden(secret, embedetcd.RootPassword)
	kept := k.state
	require.NoError(t, k.refresh())
	assert.Equal(t, kept, k.state, "refresh finds nothing")
	assert.Empty(t, k.changes(keyed(secret)))

	assert.Equal(t, map[string]p.DiffKind{"value": p.Update}, k.changes(keyed(another)))
	require.NoError(t, k.update(keyed(another)))
	assert.Equal(t, another, w.lies())
	k.hidden(another)
	require.NoError(t, k.update(keyed("")), "no text is a value too")
	require.NoError(t, k.update(keyed("ü\x00\n")))
	assert.Equal(t, "ü\x00\n", w.lies())
	assert.Equal(t, map[string]p.DiffKind{"key": p.UpdateReplace}, k.changes(keyed("ü\x00\n").Set("key", property.New("/b"))))

	require.NoError(t, k.delete())
	assert.Empty(t, w.lies())
	require.NoError(t, k.delete(), "it is gone already")
	require.NoError(t, k.refresh())
	assert.Empty(t, k.id, "refresh says that it is gone")
}

func TestKeyIsNotTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(another)
	_, err := w.create("EtcdKey", keyed(secret))
	require.EqualError(t, err, "key /app already exists: import it with `pulumi import quorum:index:EtcdKey NAME /app`, or delete it")
}

// TestKeyChangedBySomebodyElse requires nobody's change lost without a word.
func TestKeyChangedBySomebodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.made("EtcdKey", keyed("1"))
	w.put(another)
	err := k.update(keyed("2"))
	require.ErrorContains(t, err, "someone else has changed (revision")
	require.NotContains(t, err.Error(), another)
	require.ErrorContains(t, k.delete(), "someone else has changed (revision")
	assert.Equal(t, another, w.lies())

	require.NoError(t, k.refresh())
	k.hidden(another)
	assert.Equal(t, map[string]p.DiffKind{"value": p.Update}, k.changes(keyed("1")))
	require.NoError(t, k.update(keyed("1")))
	assert.Equal(t, "1", w.lies())

	w.put("3")
	require.NoError(t, k.update(keyed("3")), "as wanted, whoever wrote it")
	require.NoError(t, k.update(keyed("4")), "its revision is known now")
	_, err = w.root.Delete(t.Context(), "/app")
	require.NoError(t, err)
	require.ErrorContains(t, k.update(keyed("5")), "someone else has deleted the key /app")
	require.NoError(t, k.delete())
}

func TestKeyConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.made("EtcdKey", keyed("1"))
	w.put("2")
	by := w.etcd.Connection(t)
	by.Endpoints = append(by.Endpoints, "127.0.0.1:1")
	in := keyed("1").Set("etcd", connection(by))
	assert.Equal(t, map[string]p.DiffKind{"etcd.endpoints[1]": p.Add}, k.changes(in))
	require.NoError(t, k.update(in))
	assert.Equal(t, "2", w.lies())
	require.ErrorContains(t, k.delete(), "someone else has changed", "what was last seen is still known")
}

func TestKeyThatIsNoText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.made("EtcdKey", keyed("1"))
	w.put("\xff")
	require.EqualError(t, k.refresh(), "the value of /app is not text: it is not UTF-8")
}

func TestKeyOfAClusterThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.made("EtcdKey", keyed("1"))
	w.etcd.Stop()
	require.ErrorContains(t, k.update(keyed("2")), "etcd does not answer at "+w.etcd.Endpoint+": connection refused")
}

// TestKeyOfTheLargestValue has etcd take the largest value that a preview takes,
// and refuse one that is not much larger.
func TestKeyOfTheLargestValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := "/" + strings.Repeat("k", 1000)
	in := func(bytes int) property.Map { return object("key", long, "value", strings.Repeat("v", bytes)) }
	most := 1536<<10 - 1024 - 3*len(long)
	k := w.made("EtcdKey", in(most))
	require.NoError(t, k.update(in(most-1)))

	for _, tooMuch := range []property.Map{in(most + 1), object("key", "/"+strings.Repeat("k", 1<<20), "value", "")} {
		resp, err := w.Check(p.CheckRequest{Urn: urnOf("EtcdKey"), Inputs: tooMuch.Set("etcd", connection(w.etcd.Connection(t)))})
		require.NoError(t, err)
		require.Len(t, resp.Failures, 1)
		assert.Contains(t, resp.Failures[0].Reason, "etcd accepts requests of at most 1.5 MiB (--max-request-bytes), including the key in them")
	}

	_, err := w.root.Put(t.Context(), "/b", strings.Repeat("v", 1536<<10))
	require.ErrorContains(t, err, "request is too large")
}
