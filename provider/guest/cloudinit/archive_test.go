package cloudinit_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
)

// TestArchive has Python unpack the files of user data as they were, and cloud-init write the others.
func TestArchive(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	where := filepath.Join(top, "all.tar.bz2")
	program := cloudinit.WriteFile{Path: filepath.Join(top, "sbin", "program"), Permissions: "0755", Content: "#!/bin/sh\n"}
	state := cloudinit.WriteFile{Path: filepath.Join(top, "drive", "state.json"), Permissions: "0600", Content: strings.Repeat(`{"é": 1}`, 10_000)}
	other := cloudinit.WriteFile{Path: "/etc/other", Permissions: "0644", Content: "text"}
	u := cloudinit.UserData{Hostname: "a", WriteFiles: []cloudinit.WriteFile{compressed(t, named(program)), compressed(t, state), other}, RunCommands: [][]string{{"then"}}}
	given, err := u.Marshal()
	require.NoError(t, err)
	as := func(path, content string) string { return strings.TrimPrefix(content, path) }
	text, err := cloudinit.Archive(given, where, as)
	require.NoError(t, err)
	again, err := cloudinit.Archive(given, where, as)
	require.NoError(t, err)
	assert.Equal(t, text, again)
	var got cloudinit.UserData
	require.NoError(t, yaml.Unmarshal([]byte(text), &got))
	assert.Equal(t, "a", got.Hostname)
	require.Len(t, got.WriteFiles, 2)
	assert.Equal(t, other, got.WriteFiles[1])
	assert.Equal(t, "0600", got.WriteFiles[0].Permissions)
	archive, err := base64.StdEncoding.DecodeString(got.WriteFiles[0].Content)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(got.WriteFiles[0].Path, archive, 0o600))
	require.Len(t, got.RunCommands, 2)
	said, err := exec.CommandContext(t.Context(), got.RunCommands[0][0], got.RunCommands[0][1:]...).CombinedOutput()
	require.NoError(t, err, string(said))
	assert.Equal(t, []string{"then"}, got.RunCommands[1])
	for _, file := range []cloudinit.WriteFile{program, state} {
		content, err := os.ReadFile(file.Path)
		require.NoError(t, err)
		assert.True(t, file.Content == string(content))
		info, err := os.Stat(file.Path)
		require.NoError(t, err)
		assert.Equal(t, file.Permissions, fmt.Sprintf("%#o", info.Mode().Perm()))
	}
}

// named has the file's path before its content.
func named(file cloudinit.WriteFile) cloudinit.WriteFile {
	file.Content = file.Path + file.Content
	return file
}

func compressed(t *testing.T, file cloudinit.WriteFile) cloudinit.WriteFile {
	t.Helper()
	packed, err := file.Compressed()
	require.NoError(t, err)
	return packed
}
