// Package ptr reads what pointers point to.
package ptr

// Value is what p points to, or nothing where p is nil.
func Value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
