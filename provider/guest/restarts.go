package guest

import (
	"regexp"
	"slices"
	"strings"
)

// Restarts has a hash for each service, which changes with whatever restarts
// the service on a machine that runs. It is Dated where another service may do so.
func (s State) Restarts() map[string]string {
	all, day := map[string]string{}, ""
	for _, service := range s.Services {
		day = max(day, service.RestartsOthers)
	}
	for _, service := range s.Services {
		all[service.Name] = Hash(s.restart(service)...)
		if day != "" && service.RestartsOthers == "" {
			all[service.Name] = Dated(all[service.Name], day)
		}
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

// Dated is a hash of something that also changes with a later day, but not with an earlier one, or none.
func Dated(hash, moment string) string { return hash + " " + moment }

var dated = regexp.MustCompile(`^([0-9a-f]{16}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$`)

// IsDated reports whether a text is one of Dated.
func IsDated(text string) bool { return dated.MatchString(text) }

// GoesBack reports whether two texts are of the same, of which the second is of an earlier day, or of none.
func GoesBack(before, now string) bool {
	was, is := dated.FindStringSubmatch(before), dated.FindStringSubmatch(now)
	switch {
	case was == nil:
		return false
	case is == nil:
		return was[1] == now
	}
	return was[1] == is[1] && is[2] < was[2]
}
