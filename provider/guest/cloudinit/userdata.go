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
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

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

// Plain is user data whose files are not compressed one by one, so that all of it together
// compresses better.
func Plain(userData string) (string, error) {
	var u UserData
	if err := yaml.Unmarshal([]byte(userData), &u); err != nil {
		return "", fmt.Errorf("read user data: %w", err)
	}
	for i, f := range u.WriteFiles {
		if f.Encoding != packedContent {
			continue
		}
		content, err := unpack(f.Content)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", f.Path, err)
		}
		if content, err = compact(content); err != nil {
			return "", fmt.Errorf("read %s: %w", f.Path, err)
		}
		u.WriteFiles[i].Encoding, u.WriteFiles[i].Content = "", content
	}
	var document yaml.Node
	if err := document.Encode(u); err != nil {
		return "", fmt.Errorf("write user data: %w", err)
	}
	quote(&document)
	text, err := marshal(&document)
	return header + text, err
}

// quote has the programs in user data look as those within the state do, in JSON: gzip then finds again what they share.
func quote(n *yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Value == "content" {
			content := n.Content[i+1]
			content.Style = yaml.SingleQuotedStyle
			if strings.Contains(content.Value, "\n") {
				content.Style = yaml.DoubleQuotedStyle
			}
		}
		quote(child)
	}
}

// compact is the JSON of a state without white space, and with files beside each other that are alike:
// gzip finds again only what is at most 32 KiB before. Any other text is as it is.
func compact(text string) (string, error) {
	var state map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &state) != nil {
		return text, nil
	}
	if state["files"] != nil {
		var files []json.RawMessage
		if err := json.Unmarshal(state["files"], &files); err != nil {
			return "", err
		}
		slices.SortStableFunc(files, func(a, b json.RawMessage) int { return kind(a) - kind(b) })
		var err error
		if state["files"], err = terse(files); err != nil {
			return "", err
		}
	}
	all, err := terse(state)
	return string(all), err
}

func terse(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// kind is of what kind a file is: programs in Python, which follow quorum-apply, other ones, units, texts,
// and certificates with their keys.
func kind(file json.RawMessage) int {
	for i, sign := range []string{`": "#!/usr/bin/python3\n`, `": "#!`, `": "/etc/systemd/`, `-----BEGIN `} {
		if bytes.Contains(file, []byte(sign)) {
			return []int{0, 1, 2, 4}[i]
		}
	}
	return 3
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
