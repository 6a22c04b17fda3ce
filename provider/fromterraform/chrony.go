package fromterraform

import (
	"math"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
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
			threshold, err := strconv.ParseFloat(words[1], 64)
			limit, bad := strconv.ParseInt(words[2], 10, 64)
			if err != nil || bad != nil || math.IsInf(threshold, 0) || math.IsNaN(threshold) {
				makestep.missing("makestep", "%s: it has not two numbers", machines[0].at(path))
				continue
			}
			if threshold <= 0 { // quorum takes no 0 there, and steps none with that limit
				makestep.note("The modules wrote makestep %s %s", words[1], words[2])
				threshold = 1
			}
			makestep.set("threshold", &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(threshold, 'f', -1, 64)})
			makestep.set("limit", limit)
		}
	}
	chrony.set("servers", sources["servers"])
	chrony.set("pools", sources["pools"])
	chrony.set("makestep", makestep)
	b.set("chrony", chrony)
}
