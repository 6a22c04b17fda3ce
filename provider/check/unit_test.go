package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

func TestSizesInAnotherUnitAreRecognised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule check.Bounds
		n    int
		ends string
	}{
		{check.VolumeBytes, 10, "not 10 bytes: GiB was meant? 10 GiB are 10737418240"},
		{check.VolumeBytes, 10240, "not 10240 bytes: MiB was meant? 10240 MiB are 10737418240"},
		{check.VolumeBytes, 10485760, "not 10485760 bytes: KiB was meant? 10485760 KiB are 10737418240"},
		{check.VolumeBytes, -1, "not -1"},
		{check.VolumeBytes, 0, "not 0"},
		{check.VolumeBytes, 1 << 53, "not 9007199254740992"},
		{check.VolumeGiB, 10737418240, "not 10737418240 GiB: bytes were meant? 10737418240 bytes are 10"},
		{check.VolumeGiB, 10485760, "not 10485760 GiB: KiB was meant? 10485760 KiB are 10"},
		{check.MemoryMiB, 8, "not 8 MiB: GiB was meant? 8 GiB are 8192"},
		{check.MemoryMiB, 8589934592, "not 8589934592 MiB: bytes were meant? 8589934592 bytes are 8192"},
		{check.MemoryMiB, 255, "not 255 MiB: GiB was meant? 255 GiB are 261120"},
	} {
		_, ends, _ := strings.Cut(c.rule.Check(c.n), ", not ")
		assert.Equal(t, c.ends, "not "+ends)
	}
	assert.Equal(t, "must be from 256 to 16777216 (16 TiB), in MiB, not 0", check.MemoryMiB.Check(0))
	for _, right := range []int{64 << 20, 10 << 30, 1 << 50} {
		assert.Empty(t, check.VolumeBytes.Check(right))
	}
	assert.Empty(t, check.VolumeGiB.Check(1))
	for text, ends := range map[string]string{
		"10GiB": ": give it without a unit: 10737418240 in bytes, 10240 in MiB, 10 in GiB", "10 Gi": ": give it without a unit: 10737418240 in bytes, 10240 in MiB, 10 in GiB",
		"8G": ": give it without a unit: 8000000000 in bytes", "0MB": ": give it without a unit: 0 in bytes", "10": "", "1s": "", "GiB": "", "-1GiB": "", "9999999PB": "",
	} {
		assert.Equal(t, ends, check.InBytes(text), text)
	}
	assert.Empty(t, check.MemoryMiB.Check(256))
}
