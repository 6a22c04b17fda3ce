package bzip2

import (
	"container/heap"
	"slices"
)

const (
	inGroup = 50 // symbols that one table is chosen for
	longest = 17 // bits of a symbol
)

// huffman writes the symbols, each fifty with the one of a few tables that suits them best.
func (w *writer) huffman(symbols []int, kinds int) {
	best := cheapest(symbols, kinds)
	w.bits(3, uint64(len(best.tables)))
	w.bits(15, uint64(len(best.chosen)))
	w.choices(best.chosen, len(best.tables))
	codes := make([][]uint64, len(best.tables))
	for i, lengths := range best.tables {
		w.lengths(lengths)
		codes[i] = codesOf(lengths)
	}
	for i, s := range symbols {
		table := best.chosen[i/inGroup]
		w.bits(uint(best.tables[table][s]), codes[table][s])
	}
}

// choices writes them as places in a list of the tables, to whose head each one moves, in ones and a zero.
func (w *writer) choices(chosen []int, n int) {
	list := listOf(n)
	for _, table := range chosen {
		at := slices.Index(list, table)
		w.bits(uint(at)+1, 1<<(at+1)-2)
		toHead(list, at)
	}
}

// lengths writes them as steps from one to the next.
func (w *writer) lengths(lengths []int) {
	now := lengths[0]
	w.bits(5, uint64(now))
	for _, length := range lengths {
		for ; now < length; now++ {
			w.bits(2, 0b10)
		}
		for ; now > length; now-- {
			w.bits(2, 0b11)
		}
		w.bits(1, 0)
	}
}

// codesOf are the canonical codes of such lengths.
func codesOf(lengths []int) []uint64 {
	codes := make([]uint64, len(lengths))
	code := uint64(0)
	for length := 1; length <= longest; length++ {
		for s, l := range lengths {
			if l == length {
				codes[s] = code
				code++
			}
		}
		code <<= 1
	}
	return codes
}

// lengthsOf are those of a Huffman code, of which all symbols have one. Where one would be too long, rare ones count for more.
func lengthsOf(often []int) []int {
	weights := make([]int, len(often))
	for i, n := range often {
		weights[i] = max(1, n)
	}
	for {
		lengths := depths(weights)
		if slices.Max(lengths) <= longest {
			return lengths
		}
		for i := range weights {
			weights[i] = weights[i]/2 + 1
		}
	}
}

func depths(weights []int) []int {
	var open nodes
	for s, weight := range weights {
		open = append(open, node{weight: weight, symbols: []int{s}})
	}
	heap.Init(&open)
	lengths := make([]int, len(weights))
	for len(open) > 1 {
		a, b := heap.Pop(&open).(node), heap.Pop(&open).(node)
		both := slices.Concat(a.symbols, b.symbols)
		for _, s := range both {
			lengths[s]++
		}
		heap.Push(&open, node{a.weight + b.weight, both})
	}
	return lengths
}

// node is one of the tree, with the symbols below it.
type node struct {
	weight  int
	symbols []int
}

type nodes []node

func (n nodes) Len() int { return len(n) }
func (n nodes) Less(i, j int) bool {
	if n[i].weight != n[j].weight {
		return n[i].weight < n[j].weight
	}
	return len(n[i].symbols) < len(n[j].symbols) // a flat tree has shorter codes
}
func (n nodes) Swap(i, j int) { n[i], n[j] = n[j], n[i] }
func (n *nodes) Push(x any)   { *n = append(*n, x.(node)) }
func (n *nodes) Pop() any {
	last := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return last
}
