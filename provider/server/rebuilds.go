package server

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

// RebuildHash changes with whatever makes another machine of it, but for the
// certificates that do so on OpenStack. It is for [guest.Unchanged], as DataHash is.
func RebuildHash[A any](in inputs.Inputs[A], h ServerArgs) pulumi.StringOutput {
	of, what := inputs.Only(append([]string{"libvirt"}, onFreshMachines...)...), func(h ServerArgs) any { return []any{h.name(), h.admin(), h.Libvirt} }
	if h.Backend().OpenStack != nil {
		all, given := inputs.AllBut("cluster.initialMembers", "ca"), inputs.AllBut("openstack.serverGroupId", "openstack.networkPort.securityGroupIds")
		of = func(path string) bool { return all(path) && (given(path) || !in.Known(path)) }
		what = func(ServerArgs) any { return steady(in.Args) } // what the cluster makes is no part of it
	}
	return guarded(in, of, HashOf(in, of, func() (string, error) {
		var failed error
		text := h.text(in, func(h ServerArgs) string {
			text, err := inOrder(what(h))
			failed = errors.Join(failed, err)
			return text
		})
		return guest.HashOf(text), failed
	}))
}

// guarded is a hash that is secret if any of what it is of is: a password may be short, and the rest
// is in the state.
func guarded[A any](in inputs.Inputs[A], of inputs.Part, hash pulumi.StringOutput) pulumi.StringOutput {
	secret := in.Text(of, func() string { return "" })
	return fault.Apply(pulumi.All(secret, hash), func(all []any) string { return all[1].(string) }).(pulumi.StringOutput)
}

// DataHash changes with whatever costs the machine the data that it stores.
func DataHash[A any](in inputs.Inputs[A], h ServerArgs) pulumi.StringOutput {
	if h.Backend().chosen().Data(h.name(), "") == "" {
		return RebuildHash(in, h)
	}
	of := inputs.Only(append([]string{h.Backend().Input()}, onFreshMachines...)...)
	return guarded(in, of, HashOf(in, of, func() (string, error) {
		var failed error
		text := h.text(in, func(h ServerArgs) string {
			network, err := h.Backend().chosen().NetworkConfig(h.name())
			failed = errors.Join(failed, err)
			return h.Backend().chosen().Data(h.name(), guest.Text(h.admin(), network))
		})
		return guest.HashOf(text), failed
	}))
}

// Holds says in words what the data of the machine lie on.
func Holds[A any](in inputs.Inputs[A], h ServerArgs) pulumi.StringOutput {
	of := append([]string{"name"}, allUnder(h.Backend().Input(), []string{"volume", "volumeId", "dataVolume", "dataVolumeId", "namespace"})...)
	return HashOf(in, inputs.Only(of...), func() (string, error) { return h.Backend().chosen().Holds(h.name()), nil })
}

// HashOf is a hash of some inputs. A preview knows it while others, or a
// certificate that is being renewed, are unknown.
func HashOf[A any](in inputs.Inputs[A], of inputs.Part, hash func() (string, error)) pulumi.StringOutput {
	out := inputs.Render(in, nil, of, func(map[string]string) (any, error) { return hash() })
	return Unsecret(fault.Apply(out, func(v any) string { return v.(string) }).(pulumi.StringOutput))
}

// ofServers are the fields of all servers in the order in which states have hashes
// of them.
var ofServers = []string{
	"Name", "SSHAdminUser", "SSHAdminPublicKey", "AdminUserPassword", "Libvirt", "OpenStack", "InstallDependencies", "AptProxy", "Artifacts", "Chrony", "Fluentbit",
}

// inOrder is a struct as JSON, with the fields of all servers first; anything else is
// as JSON has it. An input that comes to be in a later release has to be left out
// while it is not given, by `json:",omitempty"`: else its machines seem to change.
func inOrder(of any) (string, error) {
	v := reflect.ValueOf(of)
	if v.Kind() != reflect.Struct {
		text, err := json.Marshal(of)
		return string(text), err
	}
	fields := slices.DeleteFunc(reflect.VisibleFields(v.Type()), func(f reflect.StructField) bool { return f.Anonymous })
	slices.SortStableFunc(fields, func(a, b reflect.StructField) int { return rank(a.Name) - rank(b.Name) })
	var texts []string
	for _, f := range fields {
		value := v.FieldByIndex(f.Index)
		if tag := f.Tag.Get("json"); tag == "-" || strings.Contains(tag, "omitempty") && value.IsZero() {
			continue
		}
		text, err := json.Marshal(value.Interface())
		if err != nil {
			return "", err
		}
		texts = append(texts, `"`+f.Name+`":`+string(text))
	}
	return "{" + strings.Join(texts, ",") + "}", nil
}

func rank(field string) int {
	if at := slices.Index(ofServers, field); at >= 0 {
		return at
	}
	return len(ofServers)
}
