package openai_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/replay"
	"github.com/rondo-agent/rondo/ai/openai"
)

// TestTraces compares with what Pi 0.85 sends and makes of the answers.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/traces/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			replay.Cases(t, openai.Completions, file, ai.Model{}, &replay.Server{Key: "lab-key", Reply: replay.Events})
		})
	}
}
