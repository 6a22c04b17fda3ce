package cloudinit_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
)

// TestPlainHasFilesTogetherThatAreAlike loses none of a state, in whose JSON < is not written in six characters.
func TestPlainHasFilesTogetherThatAreAlike(t *testing.T) {
	t.Parallel()
	state := guest.State{Machine: "a"}
	for path, content := range map[string]string{
		"/etc/a.crt": "-----BEGIN CERTIFICATE-----", "/usr/b": "#!/usr/bin/python3\n1 < 2", "/etc/systemd/system/c": "[Unit]", "/etc/d": "", "/usr/e": "#!/bin/sh\n",
	} {
		state.Files = append(state.Files, guest.Public(path, content))
	}
	text, _, err := state.Marshal()
	require.NoError(t, err)
	packed, err := cloudinit.WriteFile{Content: text}.Compressed()
	require.NoError(t, err)
	given, err := cloudinit.UserData{WriteFiles: []cloudinit.WriteFile{packed, {Content: "{text"}}}.Marshal()
	require.NoError(t, err)
	plain, err := cloudinit.Plain(given)
	require.NoError(t, err)
	var u cloudinit.UserData
	require.NoError(t, yaml.Unmarshal([]byte(plain), &u))
	assert.Equal(t, "{text", u.WriteFiles[1].Content)
	has := u.WriteFiles[0].Content
	assert.JSONEq(t, sorted(t, text), sorted(t, has))
	assert.Contains(t, has, "1 < 2")
	var places []int
	for _, path := range []string{"/usr/b", "/usr/e", "/etc/systemd/system/c", "/etc/d", "/etc/a.crt"} {
		places = append(places, strings.Index(has, path))
	}
	assert.IsIncreasing(t, places)
	assert.Positive(t, places[0])
}

// sorted is a state with its files by their paths.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var state guest.State
	require.NoError(t, json.Unmarshal([]byte(text), &state))
	slices.SortFunc(state.Files, func(a, b guest.File) int { return cmp.Compare(a.Path, b.Path) })
	text, _, err := state.Marshal()
	require.NoError(t, err)
	return text
}
