package fromterraform

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// chrony sets the time servers, as the first machine has them.
func (p *program) chrony(b *block, machines []*Machine) {
	path, text := machines[0].file("/opt/chrony.conf", "/etc/chrony/chrony.conf")
	for _, m := range machines[1:] {
		if _, other := m.file("/opt/chrony.conf", "/etc/chrony/chrony.conf"); other != text {
			b.note("%s has other settings of chrony than %s: these are the latter's", m.Address, machines[0].Address)
		}
	}
	if path == "" {
		return
	}
	chrony, makestep := newBlock(), newBlock()
	sources := map[string][]*block{}
	for _, text := range strings.Split(text, "\n") {
		words := strings.Fields(text)
		switch {
		case len(words) >= 2 && (words[0] == "server" || words[0] == "pool"):
			source := newBlock()
			source.set("url", words[1])
			source.set("options", words[2:])
			sources[words[0]+"s"] = append(sources[words[0]+"s"], source)
		case len(words) == 3 && words[0] == "makestep":
			if !check.Matches(`[0-9]+(\.[0-9]+)?`, words[1]) || !check.Matches(`-?[0-9]{1,9}`, words[2]) {
				makestep.missing("threshold", "%s: makestep is not two numbers", machines[0].at(path))
				continue
			}
			if strings.Trim(words[1], "0.") == "" { // quorum takes no 0 there
				makestep.note("The modules wrote makestep %s %s", words[1], words[2])
				words[1] = "1"
			}
			makestep.set("threshold", &yaml.Node{Kind: yaml.ScalarNode, Value: words[1]})
			makestep.set("limit", &yaml.Node{Kind: yaml.ScalarNode, Value: words[2]})
		}
	}
	chrony.set("servers", sources["servers"])
	chrony.set("pools", sources["pools"])
	chrony.set("makestep", makestep)
	b.set("chrony", chrony)
}
