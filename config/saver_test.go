package config_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/config"
)

// What is saved behind a save that waits for a lock comes to its turn, in order, and nobody waits
// for it but Close.
func TestSaverMakesNobodyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var saved []string
		var failures []error
		broken := errors.New("the disk is full")
		s := config.NewSaver(func(key string, value any) error {
			time.Sleep(10 * time.Second)
			if value == nil {
				return broken
			}
			saved = append(saved, fmt.Sprint(key, "=", value))
			return nil
		}, func(err error) { failures = append(failures, err) })
		begin := time.Now()
		for i := range 3 {
			if err := s.Save("a", i); err != nil {
				t.Error(err)
			}
		}
		_ = s.Save("a", nil)
		_ = s.Save("b", true)
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("Save made its caller wait for %v", waited)
		}
		s.Close()
		if !slices.Equal(saved, []string{"a=0", "a=1", "a=2", "b=true"}) || len(failures) != 1 || !errors.Is(failures[0], broken) {
			t.Errorf("saved %q, failures %v", saved, failures)
		}
	})
}
