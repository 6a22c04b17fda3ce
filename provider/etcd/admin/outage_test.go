package admin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// ofEach makes one resource of each kind in an etcd, which then is away.
func ofEach(t *testing.T, away func(testing.TB, embedetcd.Etcd) string) []*one {
	t.Helper()
	w := newWorld(t)
	all := []*one{
		w.made("EtcdRole", role(onPrefix("/app/", "read"), onKey("/x", "write"))),
		w.made("EtcdUser", object("password", secret, "roles", []string{"app"})),
		w.made("EtcdKey", keyed(another)),
	}
	endpoint := away(t, w.etcd)
	for _, o := range all {
		o.by(endpoint)
	}
	return all
}

// TestRefreshWhileEtcdIsAway requires the state as it was: a refresh that failed
// would end the update that brings etcd back.
func TestRefreshWhileEtcdIsAway(t *testing.T) {
	t.Parallel()
	for name, away := range embedetcd.Away {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, o := range ofEach(t, away) {
				id, inputs, state := o.id, o.inputs, o.state
				require.NoError(t, o.refresh(), o.kind)
				assert.Equal(t, id, o.id)
				assert.Equal(t, inputs, o.inputs)
				assert.Equal(t, state, o.state)
				o.hidden(secret, another)
			}
		})
	}
}

// TestRefreshOfAMemberWhileEtcdIsAway requires it noted that something is wrong, so
// that the next update waits for the member, and the member kept.
func TestRefreshOfAMemberWhileEtcdIsAway(t *testing.T) {
	t.Parallel()
	for name, away := range embedetcd.Away {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			nobody := w.etcd.Connection(t)
			nobody.Endpoints = []string{"127.0.0.1:1"}
			in := object("name", "app", "ip", "127.0.0.1", "etcd", connection(nobody))
			m := w.made("EtcdMember", in).by(away(t, w.etcd))
			require.NoError(t, m.refresh())
			assert.Equal(t, "app", m.id)
			assert.Contains(t, m.inputs.Get("triggers").AsMap().Get("seen").AsString(), "the cluster ")
			assert.Contains(t, m.changes(in), "triggers")
			m.hidden(embedetcd.RootPassword)
		})
	}
}

// TestRefreshOfAMemberByAnEarlierPassword has root's password be half changed.
func TestRefreshOfAMemberByAnEarlierPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wrong := w.etcd.Connection(t)
	password := another
	wrong.Password = &password
	wrong.Endpoints = []string{"127.0.0.1:1"}
	m := w.made("EtcdMember", object("name", "nobody", "ip", "127.0.0.1", "etcd", connection(wrong))).by(w.etcd.Endpoint)
	m.state = m.state.Set("rootPasswords", value([]string{embedetcd.RootPassword}))
	require.NoError(t, m.refresh())
	assert.Empty(t, m.id, "there is no such member")
}

// TestRefreshOfManyWhileEtcdIsFrozen requires the cluster waited for once, and not
// once a resource.
func TestRefreshOfManyWhileEtcdIsFrozen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.made("EtcdKey", keyed("1"))
	c := w.etcd.Connection(t)
	c.Endpoints = nil
	for range 7 {
		c.Endpoints = append(c.Endpoints, embedetcd.Away["it accepts and never answers"](t, w.etcd))
	}
	k.inputs, k.state = k.inputs.Set("etcd", connection(c)), k.state.Set("etcd", connection(c))
	begun := time.Now()
	for range 50 {
		require.NoError(t, k.refresh())
	}
	assert.Less(t, time.Since(begun), time.Minute, "each alone takes seconds")
}

// TestRefreshFindsWhatIsBack requires a cluster that was away believed again.
func TestRefreshFindsWhatIsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.made("EtcdKey", keyed("1"))
	away, back := *k, k.elsewhere()
	require.NoError(t, away.by(embedetcd.Away["nobody listens"](t, w.etcd)).refresh())
	w.put("2")
	require.NoError(t, back.refresh())
	assert.Equal(t, "2", back.state.Get("value").AsString())
}

// TestHalfMadeIsStillHalfMadeAfterARefreshInVain: the engine forgets at a
// refresh that a change had stopped half-way, so that its inputs must say so.
func TestHalfMadeIsStillHalfMadeAfterARefreshInVain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRoles("a", "b")
	in := object("password", secret, "roles", []string{"a", "late"})
	u, err := w.create("EtcdUser", in)
	require.ErrorContains(t, err, "role name not found")
	require.NoError(t, u.by(embedetcd.Away["nobody listens"](t, w.etcd)).refresh())
	u.by(w.etcd.Endpoint)
	w.addRoles("late")
	require.NotEmpty(t, u.changes(in))
	require.NoError(t, u.update(in))
	assert.Equal(t, []string{"a", "late"}, w.rolesOf("app"))
}

func TestImportWhileEtcdIsAway(t *testing.T) { // it sets the environment, so not beside others
	w := newWorld(t)
	t.Setenv("ETCDCTL_ENDPOINTS", embedetcd.Away["nobody listens"](t, w.etcd))
	t.Setenv("ETCDCTL_USER", "root:"+embedetcd.RootPassword)
	t.Setenv("ETCDCTL_CACERT", "../../testdata/pki/ca.crt")
	for _, kind := range []string{"EtcdUser", "EtcdRole", "EtcdKey"} {
		_, err := w.imported(kind, "app")
		require.ErrorContains(t, err, "etcd does not answer at", kind)
	}
}

// TestDeletionWhileEtcdIsAway requires what was taken out of a program to stay in
// the state, and what is destroyed without a program to go from it.
func TestDeletionWhileEtcdIsAway(t *testing.T) {
	t.Parallel()
	for name, away := range embedetcd.Away {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := ofEach(t, away)
			if name != "nobody listens" {
				all = all[1:2] // the user: others are alike, and some of these take half a minute each
			}
			for _, o := range all {
				err := o.delete()
				require.ErrorContains(t, err, "was not deleted from etcd: ", o.kind)
				require.ErrorContains(t, err, "The next `pulumi up` tries again", o.kind)
				require.ErrorContains(t, err, "pulumi destroy --target '"+string(urnOf(o.kind))+"'", o.kind)
				require.NotContains(t, err.Error(), embedetcd.RootPassword)
				require.NoError(t, o.elsewhere().erase(), o.kind)
			}
		})
	}
}

// TestDeletionByThePasswordOfTheProgram: root's password changes in the update
// in which a user is taken out of the program, and the state has the old one.
func TestDeletionByThePasswordOfTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.made("EtcdUser", object("password", secret))
	_, err := w.root.UserChangePassword(t.Context(), "root", another)
	require.NoError(t, err)
	require.ErrorContains(t, u.delete(), "user app was not deleted from etcd: ")
	changed := w.etcd.Connection(t)
	password := another
	changed.Password = &password
	u.w.Server = newServer(t)
	u.w.checkedAs("other", "EtcdKey", keyed("1").Set("etcd", connection(changed)))
	require.NoError(t, u.erase())
	w.root = w.etcd.Client(t, "root", another)
	assert.Nil(t, w.rolesOf("app"))
}

// TestDeletionTakesNoOtherUsersPassword requires rights to be those of the
// resource: what another one of the program may do is not used.
func TestDeletionTakesNoOtherUsersPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("1")
	w.made("EtcdUser", object("password", secret))
	by := w.etcd.Connection(t)
	name, password := "app", secret
	by.Username, by.Password = &name, &password
	k := w.made("EtcdKey", keyed("1").Set("key", value("/b")))
	k.state = k.state.Set("etcd", connection(by))
	w.checkedAs("other", "EtcdKey", keyed("1"))
	require.ErrorContains(t, k.delete(), "permission denied")
}
