package guest

import (
	"slices"
	"strings"
)

// Restarts has a hash for each service, which changes with whatever restarts
// the service on a machine that runs.
func (s State) Restarts() map[string]string {
	all := map[string]string{}
	for _, service := range s.Services {
		all[service.Name] = Hash(s.restart(service)...)
	}
	return all
}

// restart is what brings a service to restart, as quorum-apply decides it.
func (s State) restart(service Service) []string {
	parts := []string{service.RestartKey}
	for _, f := range s.Files {
		if service.startsWith(f.Path) {
			parts = append(parts, f.Content)
		}
	}
	return parts
}

func (s Service) startsWith(path string) bool {
	return slices.Contains(s.RestartOn, path) || strings.HasSuffix(path, "/"+s.Name) || strings.Contains(path, "/"+s.Name+".d/")
}
