package rpc

import (
	"testing"

	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

// TestEveryCommandHasOneHandler: the table of handlers has the commands of the protocol.
func TestEveryCommandHasOneHandler(t *testing.T) {
	specs := proto.Commands()
	for i, spec := range specs {
		if i >= len(table) || table[i].name != spec.Name {
			t.Fatalf("row %d of the handlers is not that of %s", i+1, spec.Name)
		}
	}
	if len(table) != len(specs) || len(commands) != len(specs) {
		t.Errorf("%d handlers, %d names, %d commands", len(table), len(commands), len(specs))
	}
}
