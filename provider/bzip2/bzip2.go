// Package bzip2 compresses what Python's bz2 and Go's compress/bzip2 read: of a hundred kilobytes of programs and
// settings it leaves a tenth less than gzip. Go's library only reads the format, which
// https://github.com/dsnet/compress/blob/master/doc/bzip2-format.pdf describes.
package bzip2

const (
	blockSize = 900_000 // bytes in a block, after runs are shortened: level 9
	spare     = 19      // bytes that the original leaves free in each
	mostRun   = 255     // bytes that are written as one run
	leastRun  = 4       // bytes of a run that are written out

	header      = "BZh9"
	blockMagic  = 0x314159265359
	footerMagic = 0x177245385090
)

// Compress returns the text as a file of bzip2 has it.
func Compress(text []byte) []byte {
	var w writer
	w.bytes([]byte(header))
	all := uint32(0)
	for len(text) > 0 {
		block, taken := shortenRuns(text)
		crc := checksum(text[:taken])
		all = (all<<1 | all>>31) ^ crc
		w.bits(48, blockMagic)
		w.bits(32, uint64(crc))
		w.bits(1, 0) // not randomised
		w.block(block)
		text = text[taken:]
	}
	w.bits(48, footerMagic)
	w.bits(32, uint64(all))
	return w.end()
}

// shortenRuns is as much of the text as makes a block: of four to 255 equal bytes four are written, and how many follow.
func shortenRuns(text []byte) (block []byte, taken int) {
	for taken < len(text) && len(block) < blockSize-spare-leastRun {
		b, run := text[taken], 1
		for run < mostRun && taken+run < len(text) && text[taken+run] == b {
			run++
		}
		for range min(run, leastRun) {
			block = append(block, b)
		}
		if run >= leastRun {
			block = append(block, byte(run-leastRun))
		}
		taken += run
	}
	return block, taken
}

// checksum is the CRC-32 of bzip2, which shifts to the left.
func checksum(text []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range text {
		crc ^= uint32(b) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
	}
	return ^crc
}

// writer collects bits, the highest first.
type writer struct {
	out     []byte
	pending uint64
	n       uint
}

// bits writes the lowest n bits of v, at most 48.
func (w *writer) bits(n uint, v uint64) {
	w.pending = w.pending<<n | v&(1<<n-1)
	for w.n += n; w.n >= 8; {
		w.n -= 8
		w.out = append(w.out, byte(w.pending>>w.n))
	}
}

func (w *writer) bytes(all []byte) {
	for _, b := range all {
		w.bits(8, uint64(b))
	}
}

func (w *writer) end() []byte {
	if w.n > 0 {
		w.bits(8-w.n, 0)
	}
	return w.out
}
