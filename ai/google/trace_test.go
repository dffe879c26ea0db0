package google_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/ai/google"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTraces(t *testing.T) { replay.Run(t, google.Stream, "testdata/traces", "/v1beta") }
