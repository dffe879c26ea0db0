package responses_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/responses"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTraces(t *testing.T) { replay.Run(t, responses.Stream, "testdata/traces", "/v1") }
