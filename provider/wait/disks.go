package wait

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// disks has the exporter collect how full file systems are.
const disks = "/metrics?collect[]=filesystem"

// fullBelow is the part of a file system that is left when it is full: services of a few MiB more would stop, too.
const fullBelow = 0.002

// fileSystem is a metric of one on a disk.
var fileSystem = regexp.MustCompile(`^node_filesystem_(avail|size)_bytes\{(.*)\} (\S+)$`)

// fullDisks says which file systems of the machine at ip are full, or is "".
func fullDisks(ctx context.Context, ip string) string {
	lines, err := told(ctx, ip, disks)
	if err != nil {
		return ""
	}
	values := map[string]map[string]float64{"avail": {}, "size": {}}
	for _, line := range lines {
		found := fileSystem.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		labels := labelsIn(found[2])
		if value, err := strconv.ParseFloat(found[3], 64); err == nil && strings.HasPrefix(labels["device"], "/dev/") && labels["fstype"] != "squashfs" && labels["fstype"] != "iso9660" {
			values[found[1]][labels["mountpoint"]] = value
		}
	}
	var full []string
	for mounted, size := range values["size"] {
		if left, told := values["avail"][mounted]; told && size > 0 && left < size*fullBelow {
			full = append(full, mounted)
		}
	}
	if len(full) == 0 {
		return ""
	}
	slices.Sort(full)
	return "the disk is full there: " + strings.Join(full, ", ") + ". Make room, or have the volume grow"
}
