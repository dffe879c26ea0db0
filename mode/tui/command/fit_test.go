package command

import (
	"slices"
	"strings"
	"testing"
)

// A command whose whole name is typed is the first suggestion, which Enter runs.
func TestFitOfCommands(t *testing.T) {
	names := []string{"ps:settings", "maps", "ps", "ps:kill"}
	slices.SortStableFunc(names, func(x, y string) int { return fit(y, "ps") - fit(x, "ps") })
	if got := strings.Join(names, " "); got != "ps ps:settings ps:kill maps" {
		t.Error(got)
	}
}
