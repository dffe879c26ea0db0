package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/command"
	"github.com/rondo-agent/rondo/mode/tui/view"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
)

// meter is what the lines below the editor show of a session, as far as it takes time to find out.
type meter struct {
	session func() *session.Session
	do      func(fn func(ctx context.Context) (then func()))

	status        view.Status
	hint          string    // in its place, until the next key
	since         time.Time // when the run under way began
	asking, again bool
}

// Hint implements [command.Host].
func (m *meter) Hint(message string) { m.hint = text.OneLine(message) }

// Name implements [command.Host].
func (m *meter) Name() string { return m.status.Name }

// Compacting implements [command.Host].
func (m *meter) Compacting() { m.since = time.Now() }

// restart forgets what is known: the session is another one.
func (m *meter) restart(s *session.Session) {
	m.status = view.Status{Folder: shortPath(command.Folder(s))}
	m.again = m.asking
}

// watch learns from an event that the status line may be out of date.
func (m *meter) watch(ev event.Event) {
	switch ev := ev.(type) {
	case *agent.TurnEnd, *event.AgentSettled, *event.CompactionEnd:
		m.Measure()
	case *event.InfoChanged:
		m.status.Name = text.OneLine(ev.Name)
	default: // the other events change nothing here
	}
}

// Measure implements [command.Host]: it counts the session's tokens and looks at the folder, beside the screen.
func (m *meter) Measure() {
	if m.asking {
		m.again = true
		return
	}
	m.asking = true
	s := m.session()
	m.do(func(context.Context) func() {
		found, problems := statusOf(s)
		return func() { m.measured(s, found, problems) }
	})
}

// measured takes what has been found out of a session; of what could not be, the old stays.
func (m *meter) measured(s *session.Session, found view.Status, problems [2]error) {
	m.asking = false
	if s == m.session() {
		if problems[0] != nil {
			found.Stats = m.status.Stats
		}
		if problems[1] != nil {
			found.Name = m.status.Name
		}
		m.status = found
	}
	if m.again || s != m.session() {
		m.again = false
		m.Measure()
	}
}

// statusOf asks a session; the errors are those of its statistics and of its name.
func statusOf(s *session.Session) (found view.Status, problems [2]error) {
	dir := command.Folder(s)
	found.Folder, found.Branch = shortPath(dir), text.OneLine(gitBranch(dir))
	found.Stats, problems[0] = s.Stats()
	found.Name, problems[1] = s.Name()
	found.Name = text.OneLine(found.Name)
	return found, problems
}

// modelName is the model of the session, and how much it thinks.
func (m *meter) modelName() string {
	st := m.session().State()
	if st.Model == nil {
		return "no model"
	}
	name := text.OneLine(st.Model.Provider + "/" + st.Model.ID)
	if st.Model.Reasoning {
		level := st.Thinking
		if level == "" {
			level = ai.ThinkingOff
		}
		name += " • " + string(level)
	}
	return name
}

// shortPath writes a folder as users do.
func shortPath(dir string) string {
	if home, err := os.UserHomeDir(); err == nil && home != "" {
		if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || rest[0] == filepath.Separator) {
			dir = "~" + rest
		}
	}
	return text.OneLine(dir)
}

// gitBranch returns the branch of the repository around a folder, a part of the commit if no
// branch is checked out, and nothing outside of one. It runs no program.
func gitBranch(dir string) string {
	for {
		if head, err := os.ReadFile(gitHead(filepath.Join(dir, ".git"))); err == nil {
			ref := strings.TrimSpace(string(head[:min(len(head), 1024)]))
			if branch, ok := strings.CutPrefix(ref, "ref: refs/heads/"); ok {
				return branch
			}
			return ref[:min(len(ref), 7)]
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// gitHead returns the file HEAD of a .git, which is a file in additional worktrees.
func gitHead(git string) string {
	if info, err := os.Stat(git); err == nil && info.Mode().IsRegular() && info.Size() < 4096 {
		if data, err := os.ReadFile(git); err == nil {
			if dir, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: "); ok {
				if !filepath.IsAbs(dir) {
					dir = filepath.Join(filepath.Dir(git), dir)
				}
				git = dir
			}
		}
	}
	return filepath.Join(git, "HEAD")
}
