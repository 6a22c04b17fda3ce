// Package cloudinit writes the documents that a machine reads at first boot:
// user data, meta data and network configuration.
//
// A UserData does only what must precede quorum-apply: the host's name, its
// administrator, and quorum-apply itself with the state to put in place.
// Nothing here talks to Pulumi or to a machine.
package cloudinit

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip" // makes less of it than Go's own
	"gopkg.in/yaml.v3"
)

// UserData is the part of #cloud-config that we use.
type UserData struct {
	Hostname         string      `yaml:"hostname"`
	PreserveHostname bool        `yaml:"preserve_hostname"`
	ManageEtcHosts   bool        `yaml:"manage_etc_hosts"`
	Users            []User      `yaml:"users"`
	Passwords        *Passwords  `yaml:"chpasswd,omitempty"`
	WriteFiles       []WriteFile `yaml:"write_files,omitempty"`
	RunCommands      [][]string  `yaml:"runcmd,omitempty"`
}

// User is a person who may log in.
type User struct {
	Name              string   `yaml:"name"`
	Groups            []string `yaml:"groups"`
	Sudo              string   `yaml:"sudo"`
	Shell             string   `yaml:"shell"`
	LockPassword      bool     `yaml:"lock_passwd"`
	SSHAuthorizedKeys []string `yaml:"ssh_authorized_keys"`
}

// Passwords are passwords for the console.
type Passwords struct {
	Expire bool       `yaml:"expire"`
	Users  []Password `yaml:"users"`
}

// Password is the password of a user, or its hash, as Type says.
type Password struct {
	Name     string `yaml:"name"`
	Password string `yaml:"password"`
	Type     string `yaml:"type"`
}

// WriteFile is a file that cloud-init writes before it runs commands.
type WriteFile struct {
	Path        string `yaml:"path"`
	Owner       string `yaml:"owner"`
	Permissions string `yaml:"permissions"`
	Encoding    string `yaml:"encoding,omitempty"`
	Content     string `yaml:"content"`
}

const (
	header        = "#cloud-config\n"
	packedContent = "gz+b64"
)

// Compressed is f for content that is long: Pulumi keeps user data twice in
// its state.
func (f WriteFile) Compressed() (WriteFile, error) {
	content, err := Pack(f.Content)
	if err != nil {
		return f, fmt.Errorf("compress %s: %w", f.Path, err)
	}
	f.Encoding, f.Content = packedContent, content
	return f, nil
}

// Pack compresses a text, in base 64.
func Pack(text string) (string, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write([]byte(text))
	}
	if err == nil {
		err = z.Close()
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}

func unpack(packed string) (string, error) {
	b, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return "", err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(z)
	return string(text), err
}

// Marshal gives u as user data.
func (u UserData) Marshal() (string, error) {
	text, err := marshal(u)
	return header + text, err
}

func marshal(v any) (string, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("marshal cloud-init document: %w", err)
	}
	return b.String(), e.Close()
}
