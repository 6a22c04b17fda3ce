package wait

import (
	"context"
	"strconv"
	"strings"
)

// Used is how many bytes are in use on the file system that has a directory on the machine at ip, or 0 if that
// is not told.
func Used(ctx context.Context, ip, directory string) int64 {
	lines, err := told(ctx, ip, disks)
	if err != nil {
		return 0
	}
	longest, values := "", map[string]float64{}
	for _, line := range lines {
		found := fileSystem.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		mounted := labelsIn(found[2])["mountpoint"]
		within := mounted == directory || strings.HasPrefix(directory, strings.TrimSuffix(mounted, "/")+"/")
		if value, err := strconv.ParseFloat(found[3], 64); err == nil && within && len(mounted) >= len(longest) {
			if len(mounted) > len(longest) {
				clear(values)
			}
			longest, values[found[1]] = mounted, value
		}
	}
	return int64(max(0, values["size"]-values["avail"]))
}
