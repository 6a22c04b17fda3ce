package host

import (
	_ "embed"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// The paths under fluentbitHome are those that dynamic configurations written
// for the Terraform modules refer to.
const (
	fluentbitConf     = "/etc/fluent-bit/fluent-bit.conf"
	fluentbitHome     = "/etc/fluent-bit-customization"
	fluentbitDefaults = fluentbitHome + "/default-config"
	fluentbitDynamic  = fluentbitHome + "/dynamic-config"
	fluentbitCA       = fluentbitHome + "/forward_ca.crt"
	fluentbitProgram  = "/opt/fluent-bit/bin/fluent-bit"
	fluentbitUser     = "fluent-bit"
	fluentbitUnit     = "fluent-bit.service"
	mirrorUnit        = "fluent-bit-config.service"
	mirrorUser        = "fluent-bit-config"
	mirrorConf        = "/etc/fluent-bit-config"
	mirrorHome        = "/var/lib/fluent-bit-config"
	fluentbitWanted   = mirrorHome + "/wanted" // as etcd has it, whatever it is
	judgeUnit         = "fluent-bit-check.service"
	judgePath         = "/usr/local/lib/quorum/check-fluent-bit"
)

// judge lets Fluent Bit have what etcd has, if that is no way to do more than to write logs.
//
//go:embed judge/check-fluent-bit
var judge string

// dynamic is what the judge alone writes.
var dynamic = Data{User: fluentbitUser, Volume: fluentbitDynamic, Directory: fluentbitDynamic}

// State is what fluent-bit wants of the machine with that name and first
// address, to forward logs.
func (f *Fluentbit) State(hostname, ip string, logs []Log) (s guest.State, err error) {
	if f == nil {
		return s, nil
	}
	s.Repositories = []guest.Repository{{
		Name: "fluent-bit", URI: "https://packages.fluentbit.io/{id}/{codename}", Suite: "{codename}", Components: []string{"main"},
		KeyURL: "https://packages.fluentbit.io/fluentbit.key", Fingerprint: "C3C0A28534B9293EAF51FABD9F9DDC083888C1CD",
	}}
	s.Packages = []guest.Package{{Name: "fluent-bit", Provides: []string{fluentbitProgram}}}
	s.Users = []guest.User{{Name: fluentbitUser, Home: "/var/lib/fluent-bit", Groups: []string{"systemd-journal"}}}
	s.Directories = []guest.Directory{
		{Path: fluentbitHome, Owner: "root", Group: fluentbitUser, Mode: "0750"},
		{Path: fluentbitDefaults, Owner: "root", Group: fluentbitUser, Mode: "0750"},
	}
	v := f.values(hostname, ip, logs)
	service := guest.Service{Name: fluentbitUnit, Timeout: secondsToStart}
	for _, file := range []struct{ name, path string }{
		{"service.conf", fluentbitDefaults + "/fluent-bit-service.conf"},
		{"inputs.conf", fluentbitDefaults + "/fluent-bit-inputs.conf"},
		{"output.conf", fluentbitDefaults + "/fluent-bit-output.conf"},
		{"static.conf", fluentbitDefaults + "/fluent-bit-static.conf"},
		{f.main(), fluentbitConf},
	} {
		content, err := v.fill(file.name)
		if err != nil {
			return s, err
		}
		s.Files = append(s.Files, guest.Private(file.path, fluentbitUser, content))
		service.RestartOn = append(service.RestartOn, file.path)
	}
	if f.Forward != nil {
		s.Files = append(s.Files, guest.Public(fluentbitCA, f.Forward.CACert))
		service.RestartOn = append(service.RestartOn, fluentbitCA)
	}
	unit, err := v.fill("fluent-bit.service")
	if err != nil {
		return s, err
	}
	box := Box{Unit: fluentbitUnit, Programs: []string{"/opt/fluent-bit", "/usr/lib", "-/usr/lib64", "/lib", "-/lib64"}}
	s.Files = append(s.Files, guest.Unit(fluentbitUnit, unit), box.File())
	s.Services = []guest.Service{service}
	return s, f.addDynamic(v, &s)
}

func (f *Fluentbit) main() string {
	if f.DynamicConfig != nil {
		return "dynamic.conf"
	}
	return "static.conf"
}

// addDynamic adds what keeps the configuration as etcd has it.
func (f *Fluentbit) addDynamic(v fluentbitValues, s *guest.State) error {
	if f.DynamicConfig == nil {
		return nil
	}
	mirror, err := Mirror{
		Etcd: f.DynamicConfig.Etcd, KeyPrefix: f.DynamicConfig.KeyPrefix, Directory: fluentbitWanted, Config: mirrorConf, User: mirrorUser,
	}.State()
	if err != nil {
		return err
	}
	s.Users = append(s.Users, guest.User{Name: mirrorUser, Home: "/nonexistent"})
	s.Directories = append(s.Directories,
		guest.Directory{Path: fluentbitDynamic, Owner: fluentbitUser, Group: fluentbitUser, Mode: "2750"},
		guest.Directory{Path: mirrorHome, Owner: "root", Group: "root", Mode: "0755"},
		guest.Directory{Path: fluentbitWanted, Owner: mirrorUser, Group: fluentbitUser, Mode: "2750"},
	)
	follows := guest.Service{Name: mirrorUnit, Timeout: secondsToStart}
	for _, file := range mirror.Files {
		follows.RestartOn = append(follows.RestartOn, file.Path)
	}
	judges := guest.Service{Name: judgeUnit, RestartOn: []string{judgePath}, Timeout: secondsToStart}
	agents := guest.State{Services: []guest.Service{judges, follows}, Files: append(dynamic.Files(), guest.Program(judgePath, judge))}
	for _, box := range []Box{{Unit: judgeUnit, Writes: []string{fluentbitDynamic}, NoNetwork: true}, {Unit: mirrorUnit, Writes: []string{fluentbitWanted}}} {
		unit, err := v.fill(box.Unit)
		if err != nil {
			return err
		}
		agents.Files = append(agents.Files, guest.Unit(box.Unit, unit), box.File())
	}
	s.Add(mirror, agents)
	return nil
}
