package inputs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

type disk struct {
	Size *int `pulumi:"size,optional"`
}

type group struct {
	Image string `pulumi:"image"`
	Parts []part `pulumi:"parts"`
}

type part struct {
	Name string `pulumi:"name"`
	Disk *disk  `pulumi:"disk,optional"`
}

type one struct {
	Image string   `pulumi:"image"`
	Name  string   `pulumi:"name"`
	Disk  *disk    `pulumi:"disk,optional"`
	Peers []string `pulumi:"peers,optional"`
}

// TestSources gives the problems of what is made the paths of the inputs that they come from:
// that of the problem, and those without which it cannot be told.
func TestSources(t *testing.T) {
	t.Parallel()
	from, to := group{Image: "debian", Parts: []part{{Name: "a"}, {Name: "b", Disk: &disk{}}}}, one{Peers: make([]string, 1)}
	m := inputs.Map(&from, &to)
	m.Same(&to, &from)
	m.Same(&to, &from.Parts[1])
	m.From(&to.Peers[0], "parts[0].name")
	assert.Equal(t, one{Image: "debian", Name: "b", Disk: from.Parts[1].Disk, Peers: []string{""}}, *m.To())

	var l check.List
	l.Add("disk.size", "is too small").Needing("image", "peers[0]", "name", "other")
	assert.Equal(t, check.List{{
		Path: "parts[1].disk.size", Reason: "is too small", Needs: []string{"image", "parts[0].name", "parts[1].name", "other"},
	}}, m.Sources(l))
}
