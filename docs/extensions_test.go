package docs_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/extension"
)

// The page of extensions names every event, those that ask in its table.
func TestExtensions_AllEventsAreNamed(t *testing.T) {
	text := readPage(t, "extensions.md").section("What a handler may do")
	for _, policy := range extension.Policies() {
		if !strings.Contains(text, "`"+policy.Event+"`") {
			t.Errorf("the event %s is not named", policy.Event)
		}
	}
}
