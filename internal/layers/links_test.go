package layers

import (
	"os/exec"
	"strings"
	"testing"
)

// linkless lists packages that other programs import alone, and what they must not link.
var linkless = map[string][]string{
	"telemetry":        {"extension", "tools", "session", "mode", root},
	"transcript/jsonl": {"extension", "tools", "session", "mode", root},
}

// TestPackagesForOthersLinkLittle checks what these packages need, however indirectly. Packages below
// session that know no session, such as session/event, are allowed.
func TestPackagesForOthersLinkLittle(t *testing.T) {
	for pkg, forbidden := range linkless {
		out, err := exec.Command("go", "list", "-deps", module+pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			needed, ours := relative(strings.TrimSpace(line))
			if !ours || needed == "session/event" {
				continue
			}
			for _, room := range forbidden {
				if needed == room || strings.HasPrefix(needed, room+"/") {
					t.Errorf("%s links %s", pkg, needed)
				}
			}
		}
	}
}
