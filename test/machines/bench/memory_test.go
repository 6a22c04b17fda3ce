//go:build bench

package bench

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memory looks at the memory of all processes that this one started.
type memory struct {
	stop chan struct{}
	peak chan int
}

func watchMemory() memory {
	m := memory{make(chan struct{}), make(chan int)}
	go func() {
		peak := 0
		for {
			select {
			case <-m.stop:
				m.peak <- peak
				return
			case <-time.After(100 * time.Millisecond):
				peak = max(peak, descendants())
			}
		}
	}()
	return m
}

func (m memory) peakMiB() int {
	close(m.stop)
	return <-m.peak >> 10
}

// descendants is what they have in memory, in KiB.
func descendants() (sum int) {
	parents, resident := map[int]int{}, map[int]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		var pid int
		for line := range strings.Lines(string(b)) {
			key, value, _ := strings.Cut(line, ":")
			number, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			switch key {
			case "Pid":
				pid = number
			case "PPid":
				parents[pid] = number
			case "RssAnon":
				resident[pid] = number
			}
		}
	}
	for pid, size := range resident {
		for parent := parents[pid]; parent > 1; parent = parents[parent] {
			if parent == os.Getpid() {
				sum += size
				break
			}
		}
	}
	return sum
}
