package change

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

func TestSaid(t *testing.T) {
	t.Parallel()
	before := map[string]string{
		"rebuild: a fresh machine": "1", guest.PowerOff: "1", "restart: etcd.service": "1", "live: /etc/tls/server.crt": "1", "live: a.service reloads": "1",
	}
	changed := func(effects ...string) map[string]string {
		now := map[string]string{}
		for effect := range before {
			now[effect] = "1"
		}
		for _, effect := range effects {
			now[effect] = "2"
		}
		return now
	}
	for _, c := range []struct {
		what string
		now  map[string]string
		want []string
	}{
		{"nothing", changed(), nil},
		{"the greatest first", changed("live: /etc/tls/server.crt", "restart: etcd.service"), []string{"restart: etcd.service", "live: /etc/tls/server.crt"}},
		{"a service that restarts, and would reload", map[string]string{"rebuild: a fresh machine": "1", guest.PowerOff: "1", "live: /etc/tls/server.crt": "1", "restart: a.service": "1", "restart: etcd.service": "1", "live: a.service reloads": "2"}, []string{"restart: a.service"}},
		{"what is new", changed("restart: new.service"), []string{"restart: new.service"}},
		{"a machine that is powered off", changed(guest.PowerOff, "restart: etcd.service", "live: a.service reloads"), []string{guest.PowerOff}},
		{"a fresh machine", changed("rebuild: a fresh machine", guest.PowerOff, "restart: etcd.service"), []string{"rebuild: a fresh machine"}},
		{"what is not known yet", map[string]string{"restart: etcd.service": "", "rebuild: a fresh machine": "1", guest.PowerOff: "1", "live: a.service reloads": "1", "live: /etc/tls/server.crt": "1"}, []string{"restart: etcd.service"}},
		{"what is gone", map[string]string{"restart: etcd.service": "1", "rebuild: a fresh machine": "1", guest.PowerOff: "1", "live: a.service reloads": "1"}, []string{"live: /etc/tls/server.crt"}},
		{"a disk that is added", changed("rebuild: the disk, and what it holds is lost", guest.PowerOff), []string{guest.PowerOff}},
		{"a service that is gone", map[string]string{"rebuild: a fresh machine": "1", guest.PowerOff: "1", "live: /etc/tls/server.crt": "1", "live: a.service reloads": "1"}, []string{"restart: etcd.service is stopped and disabled"}},
		{"what states know by a name that says less", changed(guest.PackagesChange, guest.AccountsChange), []string{"live: missing packages are installed, others stay as they are", "live: missing users and directories are made"}},
		{"all that is not known yet", nil, []string{"the effect depends on values that are not known yet"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, Said(before, c.now))
		})
	}
}

// TestSaidOnce has a machine that is made anew for its own sake need no other reason.
func TestSaidOnce(t *testing.T) {
	t.Parallel()
	effects := func(own, configuration string) map[string]string {
		return map[string]string{guest.Anew: own, guest.Anew + ", as with any change of its configuration: why": configuration}
	}
	assert.Equal(t, []string{guest.Anew}, Said(effects("1", "1"), effects("2", "2")))
	assert.Equal(t, []string{guest.Anew + ", as with any change of its configuration: why"}, Said(effects("1", "1"), effects("1", "2")))
}

// TestSaidOfPatchDays has an earlier day restart nothing.
func TestSaidOfPatchDays(t *testing.T) {
	t.Parallel()
	on := func(day string) map[string]string {
		return map[string]string{guest.Restart + guest.PatchDay: guest.Dated(guest.Hash("a"), day), "live: other": "1"}
	}
	earlier, later := on("2026-10-11T00:00:00Z"), on("2026-11-22T00:00:00Z")
	assert.Equal(t, []string{guest.Restart + guest.PatchDay}, Said(earlier, later))
	assert.Equal(t, []string{guest.NoPatchDay}, Said(later, earlier))
	assert.Empty(t, Said(later, later))
	assert.Equal(t, []string{guest.Live + "no more patch days: packages are upgraded as the image has it"}, Said(later, map[string]string{"live: other": "1"}))
}

// TestSaidOfData has a machine that is made anew say whether its data volume is.
func TestSaidOfData(t *testing.T) {
	t.Parallel()
	effects := func(own, reason, data string) map[string]string {
		all := map[string]string{guest.Anew: own, guest.Anew + ", as with any change: why": reason, guest.PowerOff: own, "live: the file /a": own}
		if data != "" {
			all[guest.DataAnew] = data
		}
		return all
	}
	powered := func(own, data string) map[string]string {
		return map[string]string{guest.PowerOff: own, guest.DataAnew: data}
	}
	sized := func(text string, size int) string {
		return guest.Sized(guest.Hash(text), size, guest.Hash(text, "with it"))
	}
	roomy := func(own string, size int) map[string]string {
		return map[string]string{guest.Anew: own, guest.MoreRoom: sized("", size), guest.DataAnew: "1"}
	}
	for _, c := range []struct {
		what        string
		before, now map[string]string
		want        []string
	}{
		{"kept", effects("1", "1", "1"), effects("2", "1", "1"), []string{"rebuild: a fresh machine (its data volume is kept)"}},
		{"kept, with a reason", effects("1", "1", "1"), effects("1", "2", "1"), []string{"rebuild: a fresh machine, as with any change: why (its data volume is kept)"}},
		{"lost", effects("1", "1", "1"), effects("2", "1", "2"), []string{guest.Anew, guest.DataAnew}},
		{"gone", effects("1", "1", "1"), effects("2", "1", ""), []string{guest.Anew, guest.DataAnew}},
		{"grown", effects("1", "1", sized("1", 1)), effects("2", "1", sized("1", 2)), []string{"rebuild: a fresh machine (its data volume is kept, and grows)"}},
		{"not grown after all", effects("1", "1", sized("1", 2)), effects("2", "1", sized("1", 1)), []string{"rebuild: a fresh machine (its data volume is kept)"}},
		{"grown in a fresh machine", roomy("1", 1), roomy("2", 2), []string{"rebuild: a fresh machine (its data volume is kept, and grows)"}},
		{"grown in a machine that is fresh for that", roomy("1", 1), roomy("1", 2), []string{guest.MoreRoom + " (its data volume is kept)"}},
		{
			"grown, and for any change",
			map[string]string{guest.Anew + ", as with any change: why": "1", guest.MoreRoom: sized("", 1), guest.DataAnew: "1"},
			map[string]string{guest.Anew + ", as with any change: why": "2", guest.MoreRoom: sized("", 2), guest.DataAnew: "1"},
			[]string{guest.MoreRoom + " (its data volume is kept)"},
		},
		{"grown, of a machine that is powered off", powered("1", sized("1", 1)), powered("2", sized("1", 2)), []string{guest.PowerOff, guest.DataGrows}},
		{"not grown after all, with nothing else", powered("1", sized("1", 2)), powered("1", sized("1", 1)), nil},
		{"made", effects("1", "1", ""), effects("2", "1", "1"), []string{guest.Anew}},
		{"none", effects("1", "1", ""), effects("2", "1", ""), []string{guest.Anew}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, Said(c.before, c.now))
		})
	}
	assert.Equal(t, []string{"live: the file /a is deleted"}, Said(map[string]string{"live: the file /a": "1", "live: the file /b": "1"}, map[string]string{"live: the file /b": "1"}))
	assert.Equal(t, []string{"live: the services of backups and restores are stopped and disabled"}, Said(map[string]string{guest.BackupsChange: "1", "live: x": "1"}, map[string]string{"live: x": "1"}))
}

// TestShownOfEffects has --diff show those that occur, as the message of the preview has them.
func TestShownOfEffects(t *testing.T) {
	t.Parallel()
	of := func(effects map[string]property.Value) property.Map {
		return property.NewMap(map[string]property.Value{"effects": property.New(effects)})
	}
	text := func(text string) property.Value { return property.New(text).WithSecret(true) }
	sized := func(of string, size int) property.Value {
		return text(guest.Sized(guest.Hash(of), size, guest.Hash(of, "with it")))
	}
	for what, c := range map[string]struct {
		effect      string
		before, now property.Value
		shown       bool
	}{
		"another":                     {"live: x", text("1"), text("2"), true},
		"one that is not known yet":   {"live: x", text("1"), property.New(property.Computed), true},
		"a new one":                   {"live: x", property.Value{}, text("2"), true},
		"a new one, not known yet":    {"live: x", property.Value{}, property.New(property.Computed), true},
		"one that is gone":            {"live: x", text("1"), property.Value{}, true},
		"a volume that is made":       {guest.DataAnew, property.Value{}, text("2"), false},
		"a volume that grows":         {guest.DataAnew, sized("a", 1), sized("a", 2), false},
		"a volume that is another":    {guest.DataAnew, sized("a", 1), sized("b", 1), true},
		"the same of another release": {guest.Anew, text(guest.Hash("a", "with it")), sized("a", 1), false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			with := func(v property.Value) property.Map {
				effects := map[string]property.Value{"live: other": text("same")}
				if !v.IsNull() {
					effects[c.effect] = v
				}
				return of(effects)
			}
			changes := map[string]p.PropertyDiff{`effects["` + c.effect + `"]`: {Kind: p.Update}}
			answer := Machine{}.Decide(t.Context(), p.DiffRequest{ID: "m", OldInputs: with(c.before), Inputs: with(c.now)}, changes)
			assert.True(t, answer.HasChanges)
			assert.Equal(t, c.shown, len(answer.DetailedDiff) == 1)
		})
	}
}
