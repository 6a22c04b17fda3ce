package world

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// stateFile is where user data says what the machine should be.
const stateFile = "/var/lib/quorum/drive/state.json"

type writeFile struct {
	Path     string `yaml:"path"`
	Encoding string `yaml:"encoding"`
	Content  string `yaml:"content"`
}

// State is what user data says that the machine should be, as JSON, or nothing.
func State(userData string) ([]byte, error) {
	var config struct {
		WriteFiles []writeFile `yaml:"write_files"`
	}
	if err := yaml.Unmarshal([]byte(userData), &config); err != nil {
		return nil, fmt.Errorf("user data: %w", err)
	}
	for _, file := range config.WriteFiles {
		if file.Path != stateFile {
			continue
		}
		content, err := file.decode()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
		return content, nil
	}
	return nil, nil
}

// decode undoes cloud-init's encodings.
func (f writeFile) decode() ([]byte, error) {
	content := []byte(f.Content)
	switch f.Encoding {
	case "", "text/plain":
		return content, nil
	case "b64", "base64", "gz+b64", "gz+base64":
		var err error
		if content, err = base64.StdEncoding.DecodeString(strings.TrimSpace(f.Content)); err != nil {
			return nil, err
		}
	}
	if !strings.HasPrefix(f.Encoding, "gz") {
		return content, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
