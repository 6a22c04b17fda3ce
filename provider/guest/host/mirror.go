package host

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// mirrorProgram keeps a directory as a prefix of etcd has it.
//
//go:embed mirror/quorum-mirror
var mirrorProgram string

const mirrorPath = "/usr/local/lib/quorum/quorum-mirror"

// Mirror is a prefix of etcd and the directory that is kept like it.
type Mirror struct {
	Etcd      EtcdConnection
	KeyPrefix string
	Directory string   // whose group the files have, if it passes that on
	Pattern   string   // a regular expression that names must match
	Validate  []string // command that judges a file before it replaces the old one
	Config    string   // directory of the mirror's own files
	User      string   // who runs it
}

// State is what the mirror needs on the machine, short of its unit.
func (m Mirror) State() (guest.State, error) {
	config := map[string]any{
		"endpoints": m.Etcd.Endpoints,
		"caFile":    m.Config + "/etcd-ca.crt",
		"prefix":    m.KeyPrefix,
		"directory": m.Directory,
		"mode":      "0640",
	}
	s := guest.State{
		Packages: []guest.Package{{Name: "etcd-client", Provides: []string{"/usr/bin/etcdctl"}}},
		Files:    []guest.File{guest.Program(mirrorPath, mirrorProgram), guest.Public(m.Config+"/etcd-ca.crt", m.Etcd.CACert)},
	}
	if m.Pattern != "" {
		config["pattern"] = m.Pattern
	}
	if m.Validate != nil {
		config["validate"] = m.Validate
	}
	secret := func(key, name, content string) {
		path := m.Config + "/" + name
		config[key] = path
		s.Files = append(s.Files, guest.Private(path, m.User, content))
	}
	if m.Etcd.ClientKey != nil {
		config["certFile"] = m.Config + "/etcd-client.crt"
		s.Files = append(s.Files, guest.Public(m.Config+"/etcd-client.crt", ptr.Value(m.Etcd.ClientCert)))
		secret("keyFile", "etcd-client.key", *m.Etcd.ClientKey)
	}
	if m.Etcd.Username != nil {
		config["username"] = *m.Etcd.Username
		secret("passwordFile", "etcd-password", ptr.Value(m.Etcd.Password))
	}
	b, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return s, fmt.Errorf("marshal the configuration of quorum-mirror: %w", err)
	}
	s.Files = append(s.Files, guest.Private(m.Config+"/mirror.json", m.User, string(b)+"\n"))
	return s, nil
}
