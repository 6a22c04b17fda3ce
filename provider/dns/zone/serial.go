package zone

import "time"

// after reports whether a serial is newer than another: RFC 1982, by which they
// go round.
func after(a, b uint32) bool { return int32(a-b) > 0 }

// next is a serial newer than the last one, and not older than own, which a
// zone file has. Beyond that it is the time, so that also a zone which was
// deleted and comes back has a newer one than before.
func next(last, own uint32, now time.Time) uint32 {
	serial := uint32(now.Unix())
	if last != 0 && !after(serial, last) {
		serial = last + 1
	}
	if own != 0 && after(own, serial) && (last == 0 || after(own, last)) {
		serial = own
	}
	if serial == 0 { // CoreDNS does not serve it
		serial = 1
	}
	return serial
}
