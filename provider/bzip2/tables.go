package bzip2

import "slices"

const (
	rounds = 12 // of choosing tables, and of making them anew
)

// coding is a way to write symbols: tables of lengths, and which one each group has.
type coding struct {
	tables [][]int
	chosen []int
	bits   int
}

// cheapest is the best of what two beginnings lead to.
func cheapest(symbols []int, kinds int) (best coding) {
	first := firstTables(symbols, kinds)
	for _, tables := range [][][]int{first, byPlace(symbols, len(first), kinds)} {
		for range rounds {
			c := choose(symbols, tables)
			if best.tables == nil || c.bits < best.bits {
				best = c
			}
			tables = tablesOf(symbols, c.chosen, len(tables), kinds)
		}
	}
	return best
}

// firstTables are as many as pay, each good for the symbols of one part of the list.
func firstTables(symbols []int, kinds int) [][]int {
	n := 2
	for _, enough := range []int{200, 600, 1200, 2400} {
		if len(symbols) >= enough {
			n++
		}
	}
	often := make([]int, kinds)
	for _, s := range symbols {
		often[s]++
	}
	tables := make([][]int, n)
	from, left := 0, len(symbols)
	for i := range tables {
		to, sum := from, 0
		for to < kinds && sum < left/(n-i) {
			sum += often[to]
			to++
		}
		tables[i] = slices.Repeat([]int{15}, kinds)
		for s := from; s < to; s++ {
			tables[i][s] = 0
		}
		from, left = to, left-sum
	}
	return tables
}

// byPlace are the tables of parts of the list, one after the other: an archive has texts of several kinds.
func byPlace(symbols []int, n, kinds int) [][]int {
	groups := (len(symbols) + inGroup - 1) / inGroup
	chosen := make([]int, groups)
	for i := range chosen {
		chosen[i] = i * n / groups
	}
	return tablesOf(symbols, chosen, n, kinds)
}

// choose has the cheapest table for each group, with what it costs to say which: the one of before costs least.
func choose(symbols []int, tables [][]int) (c coding) {
	c.tables = tables
	for _, lengths := range tables {
		c.bits += bitsOf(lengths)
	}
	list := listOf(len(tables))
	for group := range slices.Chunk(symbols, inGroup) {
		best, least := 0, -1
		for at, table := range list {
			cost := at + 1
			for _, s := range group {
				cost += tables[table][s]
			}
			if least < 0 || cost < least {
				best, least = at, cost
			}
		}
		c.chosen, c.bits = append(c.chosen, list[best]), c.bits+least
		toHead(list, best)
	}
	return c
}

// tablesOf are tables for the groups that chose each of them.
func tablesOf(symbols, chosen []int, n, kinds int) [][]int {
	often := make([][]int, n)
	for i := range often {
		often[i] = slices.Repeat([]int{0}, kinds)
	}
	for i, s := range symbols {
		often[chosen[i/inGroup]][s]++
	}
	tables := make([][]int, n)
	for i := range tables {
		tables[i] = lengthsOf(often[i])
	}
	return tables
}

// listOf are the numbers of n tables.
func listOf(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func toHead(list []int, at int) {
	table := list[at]
	copy(list[1:at+1], list[:at])
	list[0] = table
}

// bitsOf are those that a table takes, as lengths writes it.
func bitsOf(lengths []int) int {
	bits, now := 5+len(lengths), lengths[0]
	for _, length := range lengths {
		bits += 2 * max(now-length, length-now)
		now = length
	}
	return bits
}
