package conformance

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// extensionsRule is the pending line that stands for all scenarios that load extensions.
const extensionsRule = "extensions"

// waitsFor begins the reason of a line that names a single scenario: such a line may say
// that a part is missing, never that a difference is known.
const waitsFor = "waits for "

// Pending lists what is not implemented yet.
type Pending []PendingLine

// PendingLine is one line of a pending file.
type PendingLine struct {
	// Name is a group, GROUP/NAME, or "extensions" for whatever loads extensions.
	Name   string
	Reason string
	Line   int
}

// ParsePending reads lines of the form "NAME # reason". Blank lines and lines that begin
// with # are comments.
func ParsePending(r io.Reader) (Pending, error) {
	var pending Pending
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		name, reason, _ := strings.Cut(in.Text(), "#")
		name, reason = strings.TrimSpace(name), strings.TrimSpace(reason)
		switch {
		case name == "":
			continue
		case reason == "":
			return nil, fmt.Errorf("pending line %d: %q needs a reason behind #", n, name)
		case strings.Contains(name, "/") && !strings.HasPrefix(reason, waitsFor):
			return nil, fmt.Errorf("pending line %d: a single scenario may only wait for a part; begin the reason of %q with %q", n, name, waitsFor)
		}
		pending = append(pending, PendingLine{Name: name, Reason: reason, Line: n})
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read the pending lines: %w", err)
	}
	return pending, nil
}

// Find returns the first line that holds for a scenario, nil if there is none.
func (p Pending) Find(s *Scenario) *PendingLine {
	for i := range p {
		if p[i].Matches(s) {
			return &p[i]
		}
	}
	return nil
}

// Matches says whether the line holds for a scenario.
func (l *PendingLine) Matches(s *Scenario) bool {
	if l.Name == extensionsRule {
		return len(s.Extensions) > 0
	}
	return l.Name == s.Name || l.Name == s.Group()
}
