package memory_test

import (
	"testing"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) transcript.Store { return memory.New(transcript.NewHeader("/work")) })
}
