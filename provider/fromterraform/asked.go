package fromterraform

import "gopkg.in/yaml.v3"

// asked is a required input that the state does not have: it becomes a setting of the
// stack, which Pulumi asks for by its name.
type asked struct {
	node    *yaml.Node
	words   string // the key, behind the name of the resource
	what    string
	why     string
	example string
	number  bool
	own     bool // of the machine, not of all in the cluster
}

// ask sets an input to a setting of the stack.
func (b *block) ask(input string, a asked) {
	b.note("%s: %s", input, a.why)
	b.set(input, a.placeholder())
	b.asked = append(b.asked, a)
}

func (a *asked) placeholder() *yaml.Node {
	a.node = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
	return a.node
}

// answer names the settings that a block of a resource asks for.
func (p *program) answer(resource, machine string, b *block) {
	for _, a := range b.asked {
		if a.node.Value != "" {
			continue // it became known
		}
		key, what := camel(resource, a.words), a.what+" of "+resource
		if a.own {
			key, what = camel(resource, machine, a.words), a.what+" of "+machine
		}
		a.node.Value = "${" + string(p.secrets.add(Secret{Key: key, What: what, From: a.why, Plain: true, Shared: !a.own, Number: a.number, Example: a.example})) + "}"
	}
	b.asked = nil
}

// askList sets an input to a list of one setting.
func (b *block) askList(input string, a asked) {
	b.note("%s: %s", input, a.why)
	b.set(input, &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{a.placeholder()}})
	b.asked = append(b.asked, a)
}

func askedCert(of, why string) asked {
	return asked{words: "ca cert", what: "certificate of " + of + ",", why: why, example: `"$(cat ca.crt)"`}
}

func askedEndpoint(why string) asked {
	return asked{words: "etcd endpoint", what: "address and port of a member of etcd, for", why: why, example: "10.0.0.5:2379"}
}
