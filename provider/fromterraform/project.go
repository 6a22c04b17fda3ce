package fromterraform

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
)

// origin is where a program notes that a secret comes from: a state, by its lineage, and a
// place in it. So it does not matter how states are called, and in which order they are given.
const origin = "state "

// sources are what the program notes of its secrets.
func (p *program) sources() {
	files := map[string]string{}
	var states []string
	for _, r := range p.all {
		if _, known := files[r.File]; !known {
			files[r.File] = r.State
			states = append(states, brief(r.State))
		}
	}
	for i, s := range p.secrets.all {
		if s.Value == "" {
			continue
		}
		state, at := strings.Join(states, "+"), s.From
		for file, of := range files {
			if rest, is := strings.CutPrefix(s.From, file+": "); is && file != "" {
				state, at = brief(of), rest
			}
		}
		p.secrets.all[i].Source = line(origin + state + ": " + at)
	}
}

func brief(state string) string { return state[:min(8, len(state))] }

// project is a program that this command made.
type project struct {
	name string
	keys []declared
}

// declared is a setting that a program takes.
type declared struct {
	key, source string
	secret      bool
}

// readProject reads the program in a directory.
func readProject(dir string) (project, error) {
	var p project
	text, err := os.ReadFile(filepath.Join(dir, "Pulumi.yaml"))
	if errors.Is(err, os.ErrNotExist) {
		return p, errors.New("there is no Pulumi.yaml in the current directory: go to the program first")
	}
	if err != nil {
		return p, err
	}
	all, err := parse(string(text))
	if err != nil {
		return p, fmt.Errorf("the project file, Pulumi.yaml, %w", err)
	}
	p.name = all.in("name").text()
	config := all.in("config").resolved()
	made := false
	for i := 0; config != nil && config.Kind == yaml.MappingNode && i+1 < len(config.Content); i += 2 {
		key := config.Content[i]
		secret, _ := section{config.Content[i+1]}.in("secret").truth()
		source := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(key.HeadComment), "#"))
		made = made || source != ""
		if source != "" {
			p.keys = append(p.keys, declared{key: key.Value, source: source, secret: secret})
		}
	}
	if !made {
		return p, errors.New("the project file, Pulumi.yaml, does not say where its secrets come from: it is not one that from-terraform made")
	}
	return p, nil
}
