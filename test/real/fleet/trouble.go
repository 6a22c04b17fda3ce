package fleet

import "slices"

// Sick keeps a machine from running, or lets it run again.
func (f *Fleet[M]) Sick(name string, sick bool) {
	f.Lock()
	defer f.Unlock()
	delete(f.spared, name)
	f.sick = slices.DeleteFunc(f.sick, func(s string) bool { return s == name })
	if sick {
		f.sick = append(f.sick, name)
	}
}

// SickFromNow keeps a machine from running that is made from now on.
func (f *Fleet[M]) SickFromNow(name string) {
	f.Lock()
	defer f.Unlock()
	f.sick = append(f.sick, name)
	_, named := f.Named(name)
	for _, each := range named {
		f.spared[name] = each.ID
	}
}

// Refuse has a machine roll changes back from now on, for a reason; without
// one it takes them up again.
func (f *Fleet[M]) Refuse(name, reason string) {
	f.Lock()
	defer f.Unlock()
	f.refused[name] = reason
}

// Runs tells whether a machine runs.
func (f *Fleet[M]) Runs(name string) bool {
	f.Lock()
	defer f.Unlock()
	_, runs := f.Running[name]
	return runs
}

// Starts are how often a machine's service was started.
func (f *Fleet[M]) Starts(name string) int {
	f.Lock()
	defer f.Unlock()
	return f.starts[name]
}

// Restarts are those so far.
func (f *Fleet[M]) Restarts() []Restart {
	f.Lock()
	defer f.Unlock()
	return slices.Clone(f.restarts)
}
