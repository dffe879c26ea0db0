package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

func TestWriteSession(t *testing.T) {
	for _, compacted := range []bool{true, false} {
		file := filepath.Join(t.TempDir(), "s.jsonl")
		if err := writeSession(file, t.TempDir(), 1_000_000, compacted); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Size() < 1_000_000 || info.Size() > 1_400_000 {
			t.Errorf("the file has %d bytes, %v", info.Size(), err)
		}
		store, err := jsonl.Open(file, &jsonl.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		past, err := transcript.Project(store, store.Leaf())
		if err != nil {
			t.Fatal(err)
		}
		if len(store.Problems()) > 0 || compacted != (len(past.Messages) == 4) {
			t.Errorf("compacted %v: %d of %d entries are seen, problems %v", compacted, len(past.Messages), store.Len(), store.Problems())
		}
	}
}

func TestMeasureOpening(t *testing.T) {
	found, err := measureOpening(t.Context(), fake(t, "good"), "any.jsonl")
	if err != nil || len(found["ready"]) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
	if _, err := measureOpening(t.Context(), fake(t, "crash"), "any.jsonl"); err == nil {
		t.Error("a program that ends is measured")
	}
}
