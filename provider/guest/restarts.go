package guest

import (
	"slices"
	"strings"
)

// Restarts has a hash for each service, which changes with whatever restarts
// the service on a machine that runs.
func (s State) Restarts() map[string]string {
	all, others := map[string]string{}, []string{}
	for _, service := range s.Services {
		if service.RestartsOthers {
			others = append(others, s.restart(service)...)
		}
	}
	for _, service := range s.Services {
		parts := s.restart(service)
		if !service.RestartsOthers {
			parts = append(parts, others...)
		}
		all[service.Name] = Hash(parts...)
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
