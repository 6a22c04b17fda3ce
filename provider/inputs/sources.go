package inputs

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// sources say where the inputs of objects that share some are written.
type sources struct {
	lists []Shared
	at    map[string]source // by the path in an object
	items map[string]int    // how many objects a list has
	names map[string]string // of objects, by their paths
	open  map[string]string // by the paths of objects that may have more: the input that is not known yet
}

// source is where something is written. Of an object that is written in two places, own is
// the one where it is itself, and path that of what it lacks.
type source struct {
	path string
	own  bool
}

func (s *sources) set(path string, from source) {
	if s.at == nil {
		s.at = map[string]source{}
	}
	s.at[path] = from
}

// whole says that all at path is written at another one.
func (s *sources) whole(path, from string) { s.set(path, source{path: from}) }

// mixed says that what is at path is written there, and at another one, too.
func (s *sources) mixed(path, from string) { s.set(path, source{path: from, own: true}) }

// opened says that an object at path, and those in it, may have more from an input that is not known.
func (s *sources) opened(own property.Value, path, from, unknown string) {
	s.mixed(path, from)
	s.open[path] = unknown
	for key, v := range own.AsMap().All {
		if at := check.Join(path, key); v.IsMap() {
			s.opened(v, at, check.Join(from, key), unknown)
		} else {
			s.whole(at, at)
		}
	}
}

// of is where the input at a path is written, or would be.
func (s *sources) of(path string) string {
	for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		switch from, has := s.at[path[:end]]; {
		case has && from.own && end == len(path):
			return path
		case has:
			return from.path + path[end:]
		}
	}
	return path
}

// written are problems with the paths of what is written, each told once.
func (s *sources) written(problems check.List) (all check.List) {
	if len(s.lists) == 0 {
		return problems
	}
	having := map[string]int{} // how many objects have a problem
	of := func(p check.Problem) (list, key string) {
		list, _, _ = strings.Cut(p.Path, "[")
		return list, list + " " + s.of(p.Path) + " " + p.Reason
	}
	for _, p := range problems {
		_, key := of(p)
		having[key]++
	}
	for _, p := range problems {
		list, key := of(p)
		path := p.Path
		p.Path = s.of(path)
		p.Reason = s.reason(p.Reason, path, p.Path)
		common := !strings.HasPrefix(p.Path, list+"[") && p.Reason != notForAll && !strings.HasPrefix(p.Reason, "is required")
		if common && having[key] < s.taking(list, path, p.Path) {
			p.Reason += s.only(path, p.Needs)
		}
		all.Once(check.List{p})
	}
	return all
}

// notForAll is said of what must be another for each object.
const notForAll = "must not be the same for all: give each its own"

// taking is how many objects of a list have what is written for all, there where one has it at path.
func (s *sources) taking(list, path, written string) (count int) {
	_, below, _ := strings.Cut(path, "]")
	for i := range s.items[list] {
		if s.of(check.Index(list, i)+below) == written {
			count++
		}
	}
	return count
}

// only names the object that a problem was seen in, where what is written for all is good for
// others, and an input of its own that has to do with it.
func (s *sources) only(path string, needs []string) string {
	object := path[:strings.Index(path, "]")+1]
	at := object
	for _, need := range needs {
		if own := s.of(need); check.Within(own, object) {
			at = own
			break
		}
	}
	if name := s.names[object]; name != "" {
		return " (for " + name + ": see " + at + ")"
	}
	return " (see " + at + ")"
}

var element = regexp.MustCompile(`\b\w+\[\d+\](\.\w+(\[\d+\])?)+`)

// reason is why what is written at a path is refused, where it is at another one in an object.
func (s *sources) reason(reason, path, written string) string {
	reason = element.ReplaceAllStringFunc(reason, s.of)
	if strings.HasPrefix(reason, "must differ from "+written+": ") {
		return notForAll
	}
	for _, list := range s.lists {
		item, below, _ := strings.Cut(path, "].")
		input, _, _ := strings.Cut(below, ".")
		if !strings.HasPrefix(item, list.List+"[") || !slices.Contains(list.Inputs, input) || !strings.HasPrefix(reason, "is required") {
			continue
		}
		switch common := check.Within(written, input); {
		case common && strings.HasSuffix(written, "]."+list.Short):
			return "is another for each: give each its own " + lastName(written)
		case common && reason == "is required":
			return reason + ", here or for each"
		case written == path && (below == input || reason == "is required" && !strings.Contains(below, "[")):
			return reason + ", here or once for all as " + below
		}
	}
	return reason
}

// lastName is that of the list which an item at path is in.
func lastName(path string) string {
	list := path[:strings.LastIndex(path, "[")]
	return list[strings.LastIndex(list, ".")+1:]
}

// paths are where those at these paths are written, each once.
func (s *sources) paths(all []string) (written []string) {
	for _, path := range all {
		if from := s.of(path); !slices.Contains(written, from) {
			written = append(written, from)
		}
	}
	return written
}

// inputs are those of the component that objects share.
func (s *sources) inputs() (all []string) {
	for _, list := range s.lists {
		all = append(all, list.Inputs...)
	}
	return all
}
