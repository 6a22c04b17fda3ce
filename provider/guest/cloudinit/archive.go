package cloudinit

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/bzip2"
)

// Archive is user data whose compressed files come in one archive, in place of each by itself: that is smaller, since
// they are alike. cloud-init writes it to a path, and Python, in which cloud-init is written, unpacks it before the
// commands that follow. Each file's content is what as gives for it.
func Archive(userData, path string, as func(path, content string) string) (string, error) {
	var u UserData
	if err := yaml.Unmarshal([]byte(userData), &u); err != nil {
		return "", fmt.Errorf("read user data: %w", err)
	}
	var files bytes.Buffer
	w := tar.NewWriter(&files)
	for _, f := range u.WriteFiles {
		if f.Encoding == packedContent {
			if err := f.into(w, as); err != nil {
				return "", fmt.Errorf("archive %s: %w", f.Path, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("archive files: %w", err)
	}
	archive := WriteFile{Path: path, Owner: "root:root", Permissions: "0600", Encoding: "b64", Content: base64.StdEncoding.EncodeToString(bzip2.Compress(files.Bytes()))}
	u.WriteFiles = append([]WriteFile{archive}, slices.DeleteFunc(u.WriteFiles, func(f WriteFile) bool { return f.Encoding == packedContent })...)
	u.RunCommands = append([][]string{{"/usr/bin/python3", "-m", "tarfile", "-e", path, "/"}}, u.RunCommands...)
	return u.Marshal()
}

// into adds the file as root has it, without a time: the same files make the same archive.
func (f WriteFile) into(w *tar.Writer, as func(path, content string) string) error {
	content, err := unpack(f.Content)
	if err != nil {
		return err
	}
	content = as(f.Path, content)
	mode, err := strconv.ParseInt(f.Permissions, 8, 64)
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(f.Path, "/"), Mode: mode, Size: int64(len(content))}); err != nil {
		return err
	}
	_, err = w.Write([]byte(content))
	return err
}
