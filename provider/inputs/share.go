package inputs

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Sharing is a struct of inputs with lists of objects, and with what these have alike.
type Sharing interface{ Shared() []Shared }

// Shared says what each object of a list has of the inputs of the component: it is laid under
// its own, property by property, before anything is checked or decoded. So all that follows
// sees inputs that say everything of each object. A list is replaced as a whole.
type Shared struct {
	List   string   // of the objects
	Inputs []string // of the component, and by the same names of the objects
	// Either are pairs of inputs, as "libvirt.volume" and "libvirt.volumeId": an object that
	// has one of its own has the other not from the component.
	Either [][2]string
	// Except are inputs that the objects of this list do not have from the component.
	Except []string
	// Short is an input of an object for the one of that name that is far down: in the first of
	// these places in an input that there is, and in the first item of it if it is a list.
	Short    string
	ShortFor []Place
}

// Place is an object, or a list of some, in an input that is shared.
type Place struct {
	Input, Name string
	List        bool
}

// share lays what objects have alike under what each has of its own. The problems are those
// of an input that is given twice.
func share(given property.Map, lists []Shared) (property.Map, sources, check.List) {
	s := sharing{from: sources{lists: lists, items: map[string]int{}, names: map[string]string{}, open: map[string]string{}}}
	for _, shared := range lists {
		list := given.Get(shared.List)
		if !list.IsArray() {
			continue
		}
		s.Shared = shared
		items := list.AsArray().AsSlice()
		s.from.items[shared.List] = len(items)
		for i, item := range items {
			if item.IsMap() {
				path := check.Index(shared.List, i)
				if name := item.AsMap().Get("name"); name.IsString() && !item.Secret() && !name.Secret() {
					s.from.names[path] = check.Visible(name.AsString())
				}
				items[i] = property.WithGoValue(item, property.New(s.object(given, item.AsMap(), path)).AsMap())
			}
		}
		given = given.Set(shared.List, property.WithGoValue(list, property.NewArray(items)))
	}
	return given, s.from, s.problems
}

type sharing struct {
	Shared

	from     sources
	problems check.List
}

// object is one of the list, at path.
func (s *sharing) object(given, own property.Map, path string) property.Map {
	all := own
	for _, input := range s.Inputs {
		if common := given.Get(input); !common.IsNull() && !s.without(own, "", input) {
			all = all.Set(input, s.under(common, own.Get(input), check.Join(path, input), input))
		}
	}
	short, placed := map[string]property.Value{}, map[string]bool{} // by the input
	for _, place := range s.ShortFor {
		in := all.Get(place.Input)
		if !in.IsMap() || placed[place.Input] {
			continue
		}
		value, has := short[place.Input]
		if !has {
			value = own.Get(s.Short)
		}
		if in.AsMap().Get(place.Name).IsComputed() && !value.IsNull() { // it is for there, unless that turns out to be none
			short[place.Input] = property.New(property.Computed)
			continue
		}
		in, placed[place.Input] = s.put(in, value, place, path)
		all = all.Set(place.Input, in)
	}
	return all
}

// under is what an object has at path, of its own and of what is at name among the inputs of
// the component.
func (s *sharing) under(common, own property.Value, path, name string) property.Value {
	switch {
	case own.IsNull():
		s.from.whole(path, name)
		return s.reduced(common, name)
	case own.IsMap() && common.IsComputed(): // what it has of its own can be judged
		s.from.opened(own, path, name, name)
		return within(own, common)
	case !own.IsMap() || !common.IsMap():
		s.from.whole(path, path)
		return own
	}
	s.from.mixed(path, name)
	all := property.Map{}
	for key, v := range own.AsMap().All {
		s.from.whole(check.Join(path, key), check.Join(path, key))
		all = all.Set(key, within(v, own))
	}
	for key, v := range common.AsMap().All {
		if at := check.Join(name, key); !v.IsNull() && !slices.Contains(s.Except, at) && !s.without(own.AsMap(), name, key) {
			all = all.Set(key, s.under(within(v, common), all.Get(key), check.Join(path, key), at))
		}
	}
	return property.New(all)
}

// reduced is what the component has at name, without what is not for this list.
func (s *sharing) reduced(common property.Value, name string) property.Value {
	if !common.IsMap() {
		return common
	}
	all := common.AsMap()
	for key := range common.AsMap().All {
		if slices.Contains(s.Except, check.Join(name, key)) {
			all = all.Delete(key)
		}
	}
	return property.WithGoValue(common, all)
}

// without reports whether something that own has, at name, stands instead of a key of the component.
func (s *sharing) without(own property.Map, name, key string) bool {
	for _, pair := range s.Either {
		for i, one := range pair {
			other := strings.TrimPrefix(strings.TrimPrefix(pair[1-i], name), ".")
			if one == check.Join(name, key) && own.Get(key).IsNull() && !own.Get(other).IsNull() {
				return true
			}
		}
	}
	return false
}

// put is an input of the object at path with what is short for something in it, if it has that place.
func (s *sharing) put(in, short property.Value, place Place, path string) (property.Value, bool) {
	at := check.Join(check.Join(path, place.Input), place.Name)
	there := in.AsMap().Get(place.Name)
	object := there
	if place.List {
		if !there.IsArray() || there.AsArray().Len() == 0 {
			return in, there.IsComputed()
		}
		object, at = there.AsArray().Get(0), check.Index(at, 0)
	}
	if object.IsNull() && !short.IsNull() {
		object = property.New(property.Map{})
		if unknown := s.from.open[check.Join(path, place.Input)]; unknown != "" {
			s.from.opened(object, at, check.Join(place.Input, place.Name), unknown)
		}
	}
	if !object.IsMap() {
		return in, object.IsComputed()
	}
	at = check.Join(at, s.Short)
	switch had := object.AsMap().Get(s.Short); {
	case !had.IsNull() && s.from.of(at) == at:
		if !short.IsNull() && !short.IsComputed() && !had.IsComputed() { // which may turn out to be none
			s.problems.Add(check.Join(path, s.Short), "must not be given together with %s", at)
		}
		return in, true
	case short.IsNull() && (!had.IsNull() || s.from.of(at) == at):
		return in, true
	case !short.IsNull():
		object = property.WithGoValue(object, object.AsMap().Set(s.Short, short))
	}
	s.from.whole(at, check.Join(path, s.Short))
	if place.List {
		items := there.AsArray().AsSlice()
		items[0] = object
		object = property.WithGoValue(there, property.NewArray(items))
	}
	return property.WithGoValue(in, in.AsMap().Set(place.Name, object)), true
}

// within is a value with what it has of the one around it.
func within(v, around property.Value) property.Value {
	return v.WithSecret(v.Secret() || around.Secret()).WithDependencies(slices.Concat(v.Dependencies(), around.Dependencies()))
}
