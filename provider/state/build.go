package state

// Public makes a file that everybody may read.
func Public(path, content string) File {
	return File{Path: path, Owner: "root", Group: "root", Mode: "0644", Content: content}
}

// Program makes a file that everybody may run.
func Program(path, content string) File {
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

// Add puts after what s wants what each part wants.
func (s *State) Add(parts ...State) {
	for _, p := range parts {
		s.Repositories = append(s.Repositories, p.Repositories...)
		s.Presets = append(s.Presets, p.Presets...)
		s.Packages = append(s.Packages, p.Packages...)
		s.Artifacts = append(s.Artifacts, p.Artifacts...)
		s.Users = append(s.Users, p.Users...)
		s.Volumes = append(s.Volumes, p.Volumes...)
		s.Directories = append(s.Directories, p.Directories...)
		s.Files = append(s.Files, p.Files...)
		s.Services = append(s.Services, p.Services...)
	}
}
