package fromterraform

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// program is what is made of a state.
type program struct {
	project string
	*inventory
	keys      []key
	secrets   secrets
	names     []string // of resources
	resources *block   // what has external machines
	later     *block   // what has none, and is a comment until its old machine is stopped
	etcd      []etcdResource
}

// Program is a program in YAML, what is to be set for it, and what people should know.
type Program struct {
	Text     []byte
	Secrets  []Secret
	Problems []string // what could not be read
	Ignored  []string // addresses of what is not taken over
}

// Convert makes a program of the resources of states.
func Convert(name string, all []Resource) (Program, error) {
	p := &program{project: name, inventory: newInventory(all), keys: privateKeys(all), resources: newBlock(), later: newBlock()}
	machines := p.machines()
	var (
		members   []*member
		nodes     []*node
		balancers []*balancer
		resolvers []*resolver
	)
	for _, m := range machines {
		if e := m.asMember(); e != nil {
			members = append(members, e)
		} else if n := m.asNode(); n != nil {
			nodes = append(nodes, n)
		} else if b := m.asBalancer(); b != nil {
			balancers = append(balancers, b)
		} else if r := m.asResolver(); r != nil {
			resolvers = append(resolvers, r)
		} else {
			if len(m.problems) == 0 {
				m.problems = append(m.problems, m.Address+": it is none of the modules' machines, going by its user data")
			}
			delete(p.used, m.Address)
		}
	}
	if len(members)+len(nodes)+len(balancers)+len(resolvers) == 0 {
		return Program{Problems: problems(machines)}, errors.New("no machine of the five modules is in there")
	}
	if err := p.twice(members, nodes); err != nil {
		return Program{}, err
	}
	p.etcdClusters(etcdClusters(members))
	p.postgresClusters(postgresClusters(nodes), balancers)
	p.resolvers(resolvers)
	p.sources()
	text, err := p.text()
	return Program{Text: text, Secrets: p.secrets.all, Problems: problems(machines), Ignored: p.ignored()}, err
}

func problems(machines []*Machine) (all []string) {
	for _, m := range machines {
		all = append(all, m.problems...)
	}
	return all
}

// ignored are managed resources that the program has nothing of. Of many alike, how many.
func (p *program) ignored() (all []string) {
	const most = 20
	kinds, seen := map[string][]string{}, map[string]bool{}
	var order []string
	for _, r := range p.all {
		if p.used[r.Address] || r.Data || strings.HasPrefix(r.Type, "tls_") || seen[r.Address] {
			continue
		}
		seen[r.Address] = true
		kind := strings.TrimPrefix(r.Module+"."+r.Type, ".")
		if kinds[kind] == nil {
			order = append(order, kind)
		}
		kinds[kind] = append(kinds[kind], r.Address)
	}
	for _, kind := range order {
		if n := len(kinds[kind]); n > most {
			all = append(all, digits(n)+" of "+kind)
		} else {
			all = append(all, kinds[kind]...)
		}
	}
	return all
}

const header = `Made by pulumi-resource-quorum from-terraform of a state of Terraform's. Machines with
external: true are Terraform's still: docs/migrating.md says how they are taken over, one
after the other. Values are those of the state, which may be older than what runs.`

// text is the whole program.
func (p *program) text() ([]byte, error) {
	program := newBlock()
	program.set("name", p.project)
	program.set("description", "What the Terraform modules made")
	program.set("runtime", "yaml")
	config := newBlock()
	for _, s := range p.secrets.all {
		entry := newBlock()
		if s.Number {
			entry.set("type", "integer")
		} else {
			entry.set("type", "string")
		}
		if !s.Plain {
			entry.set("secret", true)
		}
		entry.node.Style = yaml.FlowStyle
		config.notes = []string{line(orElse(s.Source, s.From))} // on one line: --set-config reads it
		config.set(s.Key, entry)
	}
	program.set("config", config)
	program.set("resources", p.resources)
	only := program.get("resources") == nil
	if only { // Pulumi wants some
		program.set("resources", &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle})
	}
	program.node.Content[0].HeadComment = comment(strings.Split(header, "\n"))
	text, err := encode(program.node)
	if err != nil || p.later.empty() {
		return text, err
	}
	later, err := encode(toNode(p.later))
	if err != nil {
		return nil, err
	}
	text = append(text, standing...)
	if only {
		text = append(text, "  # Take away the {} above, too.\n"...)
	}
	for each := range bytes.Lines(later) {
		text = append(append(text, "  #"...), each...) // whoever takes it away has what is meant
	}
	return text, nil
}

const standing = `
  # These cannot be external: quorum makes a machine of each as soon as it is in the program.
  # As they are written, they have the name and the address of the one that is there: stop the
  # old one, keep its disks, take the # in front of its lines away, and run pulumi up. Or give
  # another name and address, take the # away, and have both for a while: docs/migrating.md, DNS
  # and the load balancer. With two DNS servers, one after the other.
`

// encode writes YAML, and reads it again: what is not the same is a fault of ours.
func encode(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	var is, was any
	if err := yaml.Unmarshal(b.Bytes(), &is); err != nil {
		return nil, errors.New("what was written is not YAML: a value of the state is too strange")
	}
	if err := n.Decode(&was); err != nil || !reflect.DeepEqual(is, was) {
		return nil, errors.New("what was written is not what was meant: a value of the state is too strange")
	}
	if bytes.Contains(b.Bytes(), []byte("PRIVATE KEY")) {
		return nil, errors.New("what was written has a private key in it: a value of the state is not what it should be")
	}
	return b.Bytes(), nil
}

// hostname is s as a name that quorum takes, or "".
func hostname(s string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, s)
	if len(name) > 63 {
		name = name[:63]
	}
	return strings.Trim(name, "-")
}

func digits(n int) string { return strconv.Itoa(n) }
