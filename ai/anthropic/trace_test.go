package anthropic_test

import (
	"testing"

	"github.com/rondo-agent/rondo/ai/anthropic"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

func TestTraces(t *testing.T) { replay.Run(t, anthropic.Messages, "testdata/traces", "") }
