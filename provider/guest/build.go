package guest

import (
	"slices"
	"strings"
)

// Public makes a file that everybody may read.
func Public(path, content string) File {
	return File{Path: path, Owner: "root", Group: "root", Mode: "0644", Content: content}
}

// Program makes a file that everybody may run.
func Program(path, content string) File {
	if strings.HasPrefix(content, shebang) {
		content = handed(content)
	}
	return File{Path: path, Owner: "root", Group: "root", Mode: "0755", Content: content}
}

// Private makes a file that only its owner may read.
func Private(path, owner, content string) File {
	return File{Path: path, Owner: owner, Group: owner, Mode: "0600", Content: content}
}

// Unit makes the unit file of a service.
func Unit(name, content string) File {
	return Public("/etc/systemd/system/"+name, content)
}

// Add puts after what s wants what each part wants. A file or package that
// several want alike is there once.
func (s *State) Add(parts ...State) {
	for _, p := range parts {
		s.Repositories = append(s.Repositories, p.Repositories...)
		for _, wanted := range p.Packages {
			if !slices.ContainsFunc(s.Packages, func(has Package) bool { return has.Name == wanted.Name }) {
				s.Packages = append(s.Packages, wanted)
			}
		}
		s.Presets = append(s.Presets, p.Presets...)
		s.Artifacts = append(s.Artifacts, p.Artifacts...)
		s.Users = append(s.Users, p.Users...)
		s.Volumes = append(s.Volumes, p.Volumes...)
		s.Directories = append(s.Directories, p.Directories...)
		for _, wanted := range p.Files {
			if !slices.Contains(s.Files, wanted) {
				s.Files = append(s.Files, wanted)
			}
		}
		s.Services = append(s.Services, p.Services...)
	}
}
