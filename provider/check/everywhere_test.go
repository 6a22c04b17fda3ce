package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ networks, want []string }{
		{nil, nil},
		{[]string{"10.0.0.0/8", "fd00::/8", "192.0.2.1"}, nil},
		{[]string{"10.0.0.0/8", "0.0.0.0/0", "::/0"}, []string{"a[1]: is every address of IPv4", "a[2]: is every address of IPv6"}},
		{[]string{"128.0.0.0/1", "0.0.0.0/1"}, []string{"a: has every address of IPv4: its networks have them together"}},
		{[]string{"0.0.0.0/2", "64.0.0.0/2", "192.0.0.0/2", "128.0.0.0/3", "160.0.0.0/3", "10.0.0.0/8"}, []string{"a: has every address of IPv4: its networks have them together"}},
		{[]string{"0.0.0.0/2", "64.0.0.0/2", "192.0.0.0/2", "160.0.0.0/3"}, nil},
		{[]string{"::/1", "8000::/1", "0.0.0.0/1"}, []string{"a: has every address of IPv6: its networks have them together"}},
		{[]string{"0.0.0.0/0", "128.0.0.0/1", "0.0.0.0/1"}, []string{"a[0]: is every address of IPv4"}},
		{[]string{"0.0.0.0/1", "no network"}, nil},
	} {
		var got []string
		for _, problem := range EveryAddress("a", c.networks) {
			got = append(got, problem.String())
		}
		assert.Equal(t, c.want, got, "%v", c.networks)
	}
}
