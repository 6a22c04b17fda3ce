package hypervisor

import (
	"archive/tar"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/base64"
	"errors"
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

// Files are those that user data has cloud-init write, by their paths.
func Files(userData string) (map[string][]byte, error) {
	var config struct {
		WriteFiles []writeFile `yaml:"write_files"`
	}
	if err := yaml.Unmarshal([]byte(userData), &config); err != nil {
		return nil, fmt.Errorf("user data: %w", err)
	}
	files := map[string][]byte{}
	for _, file := range config.WriteFiles {
		content, err := file.decode()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
		if !strings.HasSuffix(file.Path, ".tar.bz2") {
			files[file.Path] = content
			continue
		}
		if err := extract(content, files); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
	}
	return files, nil
}

// extract does what a command in user data does with an archive.
func extract(archive []byte, files map[string][]byte) error {
	for r := tar.NewReader(bzip2.NewReader(bytes.NewReader(archive))); ; {
		file, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if files["/"+file.Name], err = io.ReadAll(r); err != nil {
			return err
		}
		if "/"+file.Name == stateFile {
			files[stateFile] = escaped(files[stateFile])
		}
	}
}

// escaped is JSON with the ends of lines in its strings escaped, as all but quorum-apply want it.
func escaped(text []byte) []byte {
	var all []byte
	for i, quoted := 0, false; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\n':
			all = append(all, `\n`...)
			continue
		case quoted && c == '\\':
			all = append(all, c)
			i++
		case c == '"':
			quoted = !quoted
		}
		all = append(all, text[i])
	}
	return all
}

// State is what user data says that the machine should be, as JSON, or nothing.
func State(userData string) ([]byte, error) {
	files, err := Files(userData)
	return files[stateFile], err
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
