package inputs

import (
	"maps"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// changes is what differs in the inputs, each at its own path. Whether values are secret each by itself, as in states
// of earlier releases, or all together is no difference.
func (s inputSchema) changes(before, after property.Map) map[string]p.PropertyDiff {
	all := map[string]p.PropertyDiff{}
	for name, input := range s.object.Properties {
		found := differences{}
		found.value(resource.PropertyPath{name}, eachSecret(before.Get(name), false), eachSecret(after.Get(name), false))
		for path, kind := range found {
			if input.ReplaceOnChanges {
				kind = map[p.DiffKind]p.DiffKind{p.Add: p.AddReplace, p.Delete: p.DeleteReplace, p.Update: p.UpdateReplace}[kind]
			}
			all[path] = p.PropertyDiff{Kind: kind, InputDiff: true}
		}
	}
	return all
}

// someMachines is no property: that it differs is shown as nothing by --diff, and by its name elsewhere.
// Of what differs in no property Pulumi would show all that it was before.
const someMachines = "machines"

// shown is an answer without what is hidden of it, but for what replaces the resource.
func shown(of urn.URN, answer p.DiffResponse, by Hiding) p.DiffResponse {
	maps.DeleteFunc(answer.DetailedDiff, func(path string, d p.PropertyDiff) bool {
		return by != nil && slices.Contains([]p.DiffKind{p.Add, p.Delete, p.Update}, d.Kind) && by.Hides(of, path)
	})
	if answer.HasChanges && len(answer.DetailedDiff) == 0 {
		answer.DetailedDiff = map[string]p.PropertyDiff{someMachines: {Kind: p.Update, InputDiff: true}}
	}
	return answer
}

type differences map[string]p.DiffKind

func (d differences) value(path resource.PropertyPath, before, after property.Value) {
	switch {
	case absent(before) && absent(after):
	case absent(before):
		d[path.String()] = p.Add
	case absent(after):
		d[path.String()] = p.Delete
	case before.IsMap() && after.IsMap():
		had, has := before.AsMap(), after.AsMap()
		keys := maps.Collect(had.All)
		maps.Insert(keys, has.All)
		for key := range keys {
			d.value(below(path, key), had.Get(key), has.Get(key))
		}
	case before.IsArray() && after.IsArray():
		d.list(path, before.AsArray().AsSlice(), after.AsArray().AsSlice())
	case !before.Equals(after):
		d[path.String()] = p.Update
	}
}

// list compares items wherever they are. What has no counterpart is compared
// with what has none in the same place.
func (d differences) list(path resource.PropertyPath, before, after []property.Value) {
	gone, come := make([]property.Value, max(len(before), len(after))), make([]property.Value, max(len(before), len(after)))
	copy(gone, before)
	for i, item := range after {
		if j := slices.IndexFunc(gone, func(old property.Value) bool { return old.Equals(item) }); j >= 0 {
			gone[j] = property.Value{}
		} else {
			come[i] = item
		}
	}
	for i := range gone {
		d.value(below(path, i), gone[i], come[i])
	}
}

// absent is what a struct of inputs cannot tell from nothing.
func absent(v property.Value) bool { return v.IsNull() || v.IsArray() && v.AsArray().Len() == 0 }

func below(path resource.PropertyPath, step any) resource.PropertyPath {
	return append(slices.Clip(path), step)
}
