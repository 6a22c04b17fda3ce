package fault

// Apart is what f returns, called on a stack of its own. The engine keeps with each resource in
// the state all the calls that registered it: those of the provider and of gRPC, which are the same
// for all of them, would be a tenth of a state. A panic of f is one here.
func Apart[T any](f func() (T, error)) (result T, err error) {
	var panicked error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer Into(&panicked)
		result, err = f()
	}()
	if <-done; panicked != nil {
		panic(panicked)
	}
	return result, err
}
