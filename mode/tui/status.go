package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// status is what the status line shows, as far as it takes time to find out.
type status struct {
	folder, branch, name string
	stats                *transcript.Stats
	asking, again        bool
}

// watch learns from an event that the status line may be out of date.
func (a *app) watch(ev event.Event) {
	switch ev := ev.(type) {
	case *agent.TurnEnd, *event.AgentSettled, *event.CompactionEnd:
		a.measureSession()
	case *event.InfoChanged:
		a.status.name = text.OneLine(ev.Name)
	}
}

// measureSession counts the session's tokens and looks at the folder, beside the screen.
func (a *app) measureSession() {
	if a.status.asking {
		a.status.again = true
		return
	}
	a.status.asking = true
	s := a.session()
	a.do(func(context.Context) callMsg {
		stats, err := s.Stats()
		name, nameErr := s.Name()
		branch := gitBranch(folder(s))
		return func(a *app) {
			a.status.asking = false
			if s == a.session() {
				a.status.folder, a.status.branch = shortPath(folder(s)), text.OneLine(branch)
				if err == nil {
					a.status.stats = stats
				}
				if nameErr == nil {
					a.status.name = text.OneLine(name)
				}
			}
			if a.status.again || s != a.session() {
				a.status.again = false
				a.measureSession()
			}
		}
	})
}

// footer is the status line: where, and what it has taken.
func (a *app) footer() []string {
	dim := a.theme.Style(theme.Dim)
	if lines, ok := a.opts.ui.footerLines(a); ok {
		return lines
	}
	where := a.status.folder
	if a.status.branch != "" {
		where += " (" + a.status.branch + ")"
	}
	if a.status.name != "" {
		where += " • " + a.status.name
	}
	if a.hint != "" {
		where = a.hint
	}
	lines := []string{text.Plain(where, dim).Cut(a.width, "…", a.measure).String(), a.numbers()}
	if s := a.opts.ui.statusLine(); s != "" {
		lines = append(lines, a.foreign(s))
	}
	return lines
}

// numbers is the line with tokens, cost and context on the left, and the model on the right.
func (a *app) numbers() string {
	dim := a.theme.Style(theme.Dim)
	var left text.Line
	add := func(style text.Style, s string) {
		if len(left) > 0 {
			left = append(left, text.Span{Text: " "})
		}
		left = append(left, text.Span{Text: s, Style: style})
	}
	if st := a.status.stats; st != nil {
		for _, n := range []struct {
			mark  string
			count int
		}{{"↑", st.Tokens.Input}, {"↓", st.Tokens.Output}, {"R", st.Tokens.CacheRead}, {"W", st.Tokens.CacheWrite}} {
			if n.count > 0 {
				add(dim, n.mark+chat.Tokens(n.count))
			}
		}
		if st.Cost > 0 {
			add(dim, fmt.Sprintf("$%.3f", st.Cost))
		}
		if c := st.ContextUsage; c != nil {
			style, percent := dim, "?"
			if c.Percent != nil {
				percent = fmt.Sprintf("%.1f%%", *c.Percent)
				if *c.Percent > 90 {
					style = a.theme.Style(theme.Error)
				} else if *c.Percent > 70 {
					style = a.theme.Style(theme.Warning)
				}
			}
			add(style, percent+"/"+chat.Tokens(c.ContextWindow))
		}
	}
	right := text.Plain(a.modelName(), dim)
	free := a.width - left.Width(a.measure) - right.Width(a.measure)
	if free < 2 {
		return append(left, append(text.Line{{Text: "  "}}, right...)...).Cut(a.width, "…", a.measure).String()
	}
	return append(left, append(text.Line{{Text: strings.Repeat(" ", free)}}, right...)...).String()
}

func (a *app) modelName() string {
	st := a.session().State()
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

// folder is where a session works.
func folder(s *session.Session) string {
	if dir := s.Store().Header().CWD; dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// shortPath writes a folder as people do.
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
