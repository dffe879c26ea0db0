package process

import (
	"slices"
	"sync"
)

// known remembers what has been registered and cannot be registered twice.
type known struct {
	mu  sync.Mutex
	off map[[2]string]func()
}

// claim reports whether a thing is new, and remembers it.
func (k *known) claim(kind, name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := [2]string{kind, name}
	if _, ok := k.off[key]; ok {
		return false
	}
	if k.off == nil {
		k.off = make(map[[2]string]func())
	}
	k.off[key] = func() {}
	return true
}

// undo says how a thing that was claimed is taken back.
func (k *known) undo(kind, name string, off func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.off[[2]string{kind, name}] = off
}

// forget returns how a thing is taken back, which is new from now on.
func (k *known) forget(kind, name string) (off func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := [2]string{kind, name}
	off = k.off[key]
	delete(k.off, key)
	return off
}

// unwanted lists the events that are not among these.
func (k *known) unwanted(events []string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []string
	for key := range k.off {
		if key[0] == "event" && !slices.Contains(events, key[1]) {
			list = append(list, key[1])
		}
	}
	return list
}
