package memory_test

import (
	"testing"

	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/memory"
	"github.com/rondo-agent/rondo/session/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) session.Store { return memory.New(session.NewHeader("/work")) })
}
