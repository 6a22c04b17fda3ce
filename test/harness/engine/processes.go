package engine

import (
	"bytes"
	"fmt"
	"os"
)

// descendants are the ids of the processes that a process started, and of those
// that they started.
func descendants(of int) (all []int, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, entry := range entries {
		var process, parent int
		if _, err := fmt.Sscan(entry.Name(), &process); err != nil {
			continue
		}
		status, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		var state string // after its name in parentheses, which may have any character
		if _, err := fmt.Sscan(string(status[bytes.LastIndexByte(status, ')')+1:]), &state, &parent); err != nil {
			return nil, err
		}
		children[parent] = append(children[parent], process)
	}
	for next := children[of]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children[next[0]]...)
	}
	return all, nil
}
