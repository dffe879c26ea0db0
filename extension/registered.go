package extension

import "sync"

var registered struct {
	sync.Mutex
	sources []Source
}

// Register compiles an extension into the program: it is loaded for each session, before
// those that are files. It is called from an init function, and panics if the name is taken.
func Register(name string, factory Factory) {
	registered.Lock()
	defer registered.Unlock()
	source := Builtin(name, factory)
	for _, other := range registered.sources {
		if other.Path == source.Path {
			panic("extension: Register: the name " + name + " is taken")
		}
	}
	registered.sources = append(registered.sources, source)
}

// Registered lists the extensions that are compiled in, in the order of registration.
func Registered() []Source {
	registered.Lock()
	defer registered.Unlock()
	return append([]Source(nil), registered.sources...)
}
