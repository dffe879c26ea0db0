package config

import (
	"sync"
)

// Saver saves settings in the order in which they come, without making their callers wait: another
// program may hold the lock of settings.json for seconds. Make one with [NewSaver].
type Saver struct {
	save   func(key string, value any) error
	failed func(error)

	mu      sync.Mutex
	queue   []change
	working sync.WaitGroup
	busy    bool
}

type change struct {
	key   string
	value any
}

// NewSaver returns a saver that saves with save, such as [Config.Save]. failed is told of errors, by
// whichever goroutine.
func NewSaver(save func(key string, value any) error, failed func(error)) *Saver {
	return &Saver{save: save, failed: failed}
}

// Save takes a change to be saved. It returns nil at once.
func (s *Saver) Save(key string, value any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, change{key, value})
	if !s.busy {
		s.busy = true
		s.working.Go(s.work)
	}
	return nil
}

// work saves what is queued.
func (s *Saver) work() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.busy = false
			s.mu.Unlock()
			return
		}
		next := s.queue[0]
		s.queue = s.queue[1:]
		s.mu.Unlock()
		if err := s.save(next.key, next.value); err != nil {
			s.failed(err)
		}
	}
}

// Close waits until what was taken is saved. Save must not be called any more.
func (s *Saver) Close() { s.working.Wait() }
