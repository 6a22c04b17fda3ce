package loopback

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Subnet is a part of the loopback network, as 127.1.2, until the test ends.
func Subnet(t testing.TB) string {
	t.Helper()
	for i := range 250 {
		subnet := fmt.Sprintf("127.%d.%d", 1+os.Getpid()%200, 1+i)
		if file := claim(t, "subnet-"+subnet); file != nil {
			t.Cleanup(func() { _ = file.Close() })
			return subnet
		}
	}
	require.Fail(t, "no subnet is free")
	return ""
}
