package bzip2

import "slices"

// The two digits of how often the first of the recent bytes repeats.
const (
	runA = iota
	runB
)

// block writes the block but for its checksum.
func (w *writer) block(text []byte) {
	last, origin := transform(text)
	w.bits(24, uint64(origin))
	used := w.usedBytes(text)
	symbols := recent(last, used)
	w.huffman(symbols, len(used)+2)
}

// usedBytes writes which bytes there are, sixteen by sixteen, and returns them.
func (w *writer) usedBytes(text []byte) []byte {
	var is [256]bool
	for _, b := range text {
		is[b] = true
	}
	var used []byte
	var groups uint64
	var each [16]uint64
	for b := range 256 {
		each[b/16] <<= 1
		if is[b] {
			used = append(used, byte(b))
			each[b/16] |= 1
			groups |= 1 << (15 - b/16)
		}
	}
	w.bits(16, groups)
	for _, group := range each {
		if group != 0 {
			w.bits(16, group)
		}
	}
	return used
}

// transform is the one of Burrows and Wheeler: the last bytes of all rotations of the text, sorted, and
// which of them is the text itself.
func transform(text []byte) (last []byte, origin int) {
	order := rotations(text)
	last = make([]byte, len(text))
	for i, start := range order {
		if start == 0 {
			origin = i
			start = len(text)
		}
		last[i] = text[start-1]
	}
	return last, origin
}

// rotations are where the rotations of the text start, sorted: first by one byte, then by two, four and so on, each
// time by what is known of the two halves.
func rotations(text []byte) []int {
	n := len(text)
	order, rank, next := make([]int, n), make([]int, n), make([]int, n)
	counts := make([]int, max(n, 256)+1)
	for i, b := range text {
		rank[i] = int(b)
		order[i] = i
	}
	sortBy(order, rank, counts, next)
	classes := 0
	for half := 0; half < n; half = max(1, 2*half) {
		if half > 0 { // sorted by the second half already, if each start moves back
			for i, start := range order {
				order[i] = (start - half + n) % n
			}
			sortBy(order, rank, counts, next)
		}
		classes = 0
		for i, start := range order {
			if i > 0 {
				before := order[i-1]
				if rank[start] != rank[before] || rank[(start+half)%n] != rank[(before+half)%n] {
					classes++
				}
			}
			next[start] = classes
		}
		rank, next = next, rank
		if classes == n-1 {
			break
		}
	}
	return order
}

// sortBy sorts starts by their ranks, and leaves those of the same rank as they were.
func sortBy(order, rank, counts, space []int) {
	clear(counts)
	for _, r := range rank {
		counts[r+1]++
	}
	for r := 1; r < len(counts); r++ {
		counts[r] += counts[r-1]
	}
	copy(space, order)
	for _, start := range space {
		r := rank[start]
		order[counts[r]] = start
		counts[r]++
	}
}

// recent are the bytes as their places in a list of the bytes that are used, to whose head each one moves, runs of the
// head in two digits, and a sign of the end.
func recent(text, used []byte) []int {
	list := slices.Clone(used)
	symbols := make([]int, 0, len(text)/2)
	run := 0
	endRun := func() {
		for ; run > 0; run = (run - 1) / 2 {
			symbols = append(symbols, []int{runB, runA}[run%2])
		}
	}
	for _, b := range text {
		at := slices.Index(list, b)
		if at == 0 {
			run++
			continue
		}
		endRun()
		copy(list[1:at+1], list[:at])
		list[0] = b
		symbols = append(symbols, at+1)
	}
	endRun()
	return append(symbols, len(used)+1)
}
