package fromterraform

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// block is a mapping of the program that is made, in the order in which it is set. Texts
// in it mean what they say: of Pulumi's YAML, $ alone is escaped.
type block struct {
	node  *yaml.Node
	notes []string // to be written above the next key
	asked []asked  // what the stack is to have for it
}

// reference is to a value of the program, like ${name}.
type reference string

func newBlock() *block { return &block{node: &yaml.Node{Kind: yaml.MappingNode}} }

// set adds an input, unless it is empty. Of a block that has nothing but notes, these stay.
func (b *block) set(key string, value any) {
	if of, is := value.(*block); is && len(of.node.Content) == 0 {
		b.notes = append(b.notes, of.notes...)
		return
	}
	switch value := value.(type) {
	case *block:
		b.asked = append(b.asked, value.asked...)
	case []*block:
		for _, each := range value {
			b.asked = append(b.asked, each.asked...)
		}
	}
	n := toNode(value)
	if n == nil {
		return
	}
	k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}
	k.HeadComment = comment(b.notes)
	b.notes = nil
	b.node.Content = append(b.node.Content, k, n)
}

// note is a comment above what is set next.
func (b *block) note(format string, args ...any) {
	b.notes = append(b.notes, wrap(line(fmt.Sprintf(format, args...)), 100)...)
}

// commented is a block as a comment.
func (b *block) commented(key string, of *block) error {
	whole := newBlock()
	whole.set(key, of)
	text, err := encode(whole.node)
	if err == nil {
		b.notes = append(b.notes, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	return err
}

// missing is in the place of an input that cannot be read.
func (b *block) missing(key, format string, args ...any) {
	b.note("%s: %s", key, fmt.Sprintf(format, args...))
}

// close puts the last notes where they can be: below what is there.
func (b *block) close() {
	if len(b.notes) == 0 {
		return
	}
	if n := len(b.node.Content); n > 0 {
		b.node.Content[n-2].FootComment = strings.TrimSpace(b.node.Content[n-2].FootComment + "\n" + comment(b.notes))
	} else {
		b.node.HeadComment = comment(b.notes)
	}
	b.notes = nil
}

func comment(notes []string) string {
	lines := make([]string, len(notes))
	for i, note := range notes {
		lines[i] = "# " + note
	}
	return strings.Join(lines, "\n")
}

// wrap breaks a text between words.
func wrap(text string, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func (b *block) empty() bool { return len(b.node.Content) == 0 && len(b.notes) == 0 }

// get is what a key was set to, or nil.
func (b *block) get(key string) *yaml.Node {
	if i := b.index(key); i >= 0 {
		return b.node.Content[i+1]
	}
	return nil
}

func (b *block) index(key string) int {
	for i := 0; i < len(b.node.Content); i += 2 {
		if b.node.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// share takes out of all of them what they have alike, for the block of their cluster.
func share(all []*block, keys ...string) *block {
	shared := newBlock()
	for _, key := range keys {
		if len(all) < 2 || all[0].get(key) == nil {
			continue
		}
		if slices.ContainsFunc(all[1:], func(b *block) bool { return !reflect.DeepEqual(b.get(key), all[0].get(key)) }) {
			continue
		}
		i := all[0].index(key)
		shared.node.Content = append(shared.node.Content, all[0].node.Content[i:i+2]...)
		for _, b := range all {
			i := b.index(key)
			b.node.Content = slices.Delete(b.node.Content, i, i+2)
		}
	}
	return shared
}

func toNode(value any) *yaml.Node {
	switch value := value.(type) {
	case *yaml.Node:
		return value
	case *block:
		if value.empty() {
			return nil
		}
		value.close()
		return value.node
	case []*block:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, each := range value {
			if n := toNode(each); n != nil {
				if len(n.Content) > 0 { // a note above the first key belongs above the dash
					n.HeadComment, n.Content[0].HeadComment = n.Content[0].HeadComment, ""
				}
				list.Content = append(list.Content, n)
			}
		}
		if len(list.Content) == 0 {
			return nil
		}
		return list
	case []string:
		if len(value) == 0 {
			return nil
		}
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, each := range value {
			list.Content = append(list.Content, textNode(each))
		}
		return list
	case reference:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "${" + string(value) + "}"}
	case string:
		if value == "" {
			return nil
		}
		return textNode(value)
	case int64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(value, 10)}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}
	}
	panic(fmt.Sprintf("no node for %T", value))
}

// textNode is a text that Pulumi reads as it is.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "$", "$$")}
	switch {
	case strings.HasPrefix(s, "-----BEGIN "):
		n.Style = yaml.LiteralStyle
	case line(s) != s: // also what YAML would read otherwise than it writes
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
