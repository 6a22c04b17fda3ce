package fromterraform

import (
	"fmt"
	"regexp"

	"gopkg.in/yaml.v3"
)

// section is a part of a document in YAML. What is missing, or of another kind than is
// asked for, is zero.
type section struct{ node *yaml.Node }

var atLine = regexp.MustCompile(`line (\d+)`)

// parse is without the text that YAML's own errors show: it may be a password.
func parse(text string) (section, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		if m := atLine.FindStringSubmatch(err.Error()); m != nil {
			return section{}, fmt.Errorf("is not YAML, at or after line %s of a document", m[1])
		}
		return section{}, fmt.Errorf("is not YAML")
	}
	if len(document.Content) == 0 {
		return section{}, nil
	}
	return section{document.Content[0]}, nil
}

// in is what a mapping has at a path of keys.
func (s section) in(path ...string) section {
	for _, key := range path {
		s = s.value(key)
	}
	return s
}

func (s section) value(key string) section {
	n := s.resolved()
	if n == nil || n.Kind != yaml.MappingNode {
		return section{}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return section{n.Content[i+1]}
		}
	}
	return section{}
}

func (s section) resolved() *yaml.Node {
	if s.node != nil && s.node.Kind == yaml.AliasNode {
		return s.node.Alias
	}
	return s.node
}

// keys of a mapping, in their order.
func (s section) keys() (keys []string) {
	if n := s.resolved(); n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
		}
	}
	return keys
}

func (s section) list() (all []section) {
	if n := s.resolved(); n != nil && n.Kind == yaml.SequenceNode {
		for _, each := range n.Content {
			all = append(all, section{each})
		}
	}
	return all
}

// text is a scalar as it is written.
func (s section) text() string {
	if n := s.resolved(); n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return n.Value
	}
	return ""
}

func (s section) texts() (all []string) {
	for _, each := range s.list() {
		if text := each.text(); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// Of YAML 1.1, as Patroni reads it, these are no texts, but for YAML 1.2 they are.
var (
	decimal    = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	elsewhere  = regexp.MustCompile(`^(?i:yes|no|on|off)$|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
	plainStyle = yaml.Style(0)
)

// said is a text that programs read as it is written. The modules wrote passwords
// without quotes, so that one like 0123 is a number, and as a text another.
func (s section) said() (text string, sure bool) {
	n := s.resolved()
	switch {
	case n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		return "", false
	case n.Style&^yaml.TaggedStyle != plainStyle:
		return n.Value, true
	}
	return n.Value, n.Tag == "!!str" && !elsewhere.MatchString(n.Value) || decimal.MatchString(n.Value)
}

// truth is of YAML 1.1, as programs in Python and Go read it.
func (s section) truth() (truth, known bool) {
	switch s.text() {
	case "true", "True", "TRUE", "yes", "Yes", "on", "On":
		return true, true
	case "false", "False", "FALSE", "no", "No", "off", "Off":
		return false, true
	}
	return false, false
}
