package fault

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// Apply is out.ApplyT(f). That calls f in a goroutine of its own, where nothing
// else recovers a panic: here it is the error of the output.
func Apply[T, U any](out pulumi.Output, f func(T) U) pulumi.Output {
	return Try(out, func(v T) (U, error) { return f(v), nil })
}

// Try is Apply for a function that may fail.
func Try[T, U any](out pulumi.Output, f func(T) (U, error)) pulumi.Output {
	return out.ApplyT(func(v T) (made U, err error) {
		defer Into(&err)
		return f(v)
	})
}
