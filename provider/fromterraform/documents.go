package fromterraform

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"regexp"
	"strings"
)

// Documents is what cloud-init was given for a machine.
type Documents struct {
	From     string            // where in the state they are
	Files    map[string]string // write_files: contents by path
	Commands []string          // runcmd
	configs  []section         // the documents themselves
	broken   []string          // why parts were left out, as cloud-init leaves them
}

// largestDocument is far above what OpenStack and libvirt take, and below what hurts
// when it is unpacked.
const largestDocument, deepest = 16 << 20, 8

// readDocuments reads user data: one document or many, packed or not.
func readDocuments(from, userData string) (Documents, error) {
	d := Documents{From: from, Files: map[string]string{}}
	if err := d.add([]byte(userData), deepest); err != nil {
		return d, err
	}
	if len(d.configs) == 0 && len(d.broken) > 0 {
		return d, errors.New("has no part that can be read: " + d.broken[0])
	}
	if len(d.configs) == 0 {
		return d, errors.New("has no document that begins with #cloud-config")
	}
	return d, nil
}

var jinja = regexp.MustCompile(`(?i)^##\s*template:\s*jinja\s*$`)

// add reads what is packed, and takes apart what is of many parts.
func (d *Documents) add(data []byte, deep int) error {
	text := strings.TrimLeft(strings.TrimPrefix(string(data), "\ufeff"), " \t\r\n")
	if first, rest, _ := strings.Cut(text, "\n"); jinja.MatchString(first) {
		text = strings.TrimLeft(rest, " \t\r\n")
		if strings.Contains(text, "{{") || strings.Contains(text, "{%") {
			d.broken = append(d.broken, "a part is a template of Jinja: what stands in braces is not filled in")
		}
	}
	switch {
	case deep == 0:
		return errors.New("has parts within parts, too deep to be read")
	case strings.HasPrefix(text, "#cloud-config"):
		return d.addConfig(text)
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		unpacked, err := unzip(data)
		if err != nil {
			return err
		}
		return d.add(unpacked, deep-1)
	case hasPrefixFold(text, "content-type:"), hasPrefixFold(text, "mime-version:"):
		return d.addParts(text, deep)
	}
	if packed, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")); err == nil && len(packed) > 0 {
		return d.add(packed, deep-1)
	}
	return nil // a script, or whatever else cloud-init takes: nothing of the modules
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func unzip(data []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, errors.New("is not well packed by gzip")
	}
	unpacked, err := io.ReadAll(io.LimitReader(reader, largestDocument+1))
	switch {
	case err != nil:
		return nil, errors.New("is not well packed by gzip")
	case len(unpacked) > largestDocument:
		return nil, errors.New("is larger than 16 MiB, which no machine is given")
	}
	return unpacked, nil
}

// addParts reads a message of many parts, as cloud-init's own tools write them.
func (d *Documents) addParts(text string, deep int) error {
	message, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		return errors.New("is not a well-formed message of many parts")
	}
	kind, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return errors.New("is not a well-formed message of many parts")
	case !strings.HasPrefix(kind, "multipart/"):
		return d.addPart(message.Body, message.Header.Get("Content-Transfer-Encoding"), deep)
	}
	parts := multipart.NewReader(message.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.New("is not a well-formed message of many parts")
		}
		if err := d.addPart(part, part.Header.Get("Content-Transfer-Encoding"), deep); err != nil {
			d.broken = append(d.broken, "a part "+err.Error()+": the others are read")
		}
	}
}

func (d *Documents) addPart(body io.Reader, encoding string, deep int) error {
	if strings.EqualFold(encoding, "base64") {
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	data, err := io.ReadAll(io.LimitReader(body, largestDocument))
	if err != nil {
		return errors.New("has a part that cannot be read")
	}
	return d.add(data, deep-1)
}

func (d *Documents) addConfig(text string) error {
	config, err := parse(text)
	if err != nil {
		return err
	}
	d.configs = append(d.configs, config)
	for _, file := range config.in("write_files").list() {
		if content, ok := contentOf(file); ok {
			d.Files[file.in("path").text()] = content
		}
	}
	for _, command := range config.in("runcmd").list() {
		var words []string
		for _, word := range command.list() {
			words = append(words, word.text())
		}
		d.Commands = append(d.Commands, command.text()+strings.Join(words, " "))
	}
	return nil
}

// contentOf is what cloud-init writes into a file.
func contentOf(file section) (string, bool) {
	content := file.in("content").text()
	switch file.in("encoding").text() {
	case "", "text/plain":
		return content, true
	case "b64", "base64", "gz+b64", "gzip+base64", "gz+base64", "gzip+b64":
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(content), ""))
		if err != nil {
			return "", false
		}
		if strings.HasPrefix(file.in("encoding").text(), "gz") {
			data, err = unzip(data)
		}
		return string(data), err == nil
	}
	return "", false
}

// file is the first of paths that there is, and its contents.
func (d Documents) file(paths ...string) (path, content string) {
	for _, path := range paths {
		if content, has := d.Files[path]; has {
			return path, content
		}
	}
	return "", ""
}

// at says where in the state something of a file is.
func (d Documents) at(path string) string { return d.From + ", " + path }
