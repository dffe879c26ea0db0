package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
)

func pickModelCommand(a *app, args string) tea.Cmd {
	if args != "" {
		provider, id, _ := strings.Cut(args, "/")
		if m := a.opts.Models.Get(provider, id); m != nil {
			a.setModel(m)
			return nil
		}
	}
	a.pickModel(args)
	return nil
}

func modelItems(a *app, args string) []item {
	var items []item
	for _, m := range a.opts.Models.Available() {
		name := text.OneLine(m.Provider + "/" + m.ID)
		if _, ok := fuzzyScore(args, name+" "+m.Name); ok {
			items = append(items, item{label: name, detail: text.OneLine(m.Name), value: name})
		}
	}
	return items
}

// pickModel lists the models that can be asked.
func (a *app) pickModel(query string) {
	l := &list{title: "Model", chosen: func(a *app, it item) { a.setModel(it.value.(*ai.Model)) }}
	now := a.session().State().Model
	for _, m := range a.opts.Models.Available() {
		detail := chat.Tokens(m.ContextWindow) + " tokens"
		if m.Name != m.ID {
			detail = m.Name + ", " + detail
		}
		l.items = append(l.items, item{
			label: text.OneLine(m.Provider + "/" + m.ID), detail: text.OneLine(detail), value: m,
			marked: now != nil && now.Provider == m.Provider && now.ID == m.ID,
		})
	}
	if len(l.items) == 0 {
		a.info("No model can be used: set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY before the start, or list models in models.json.")
		return
	}
	l.query.Insert(query)
	a.push(l)
}

// setModel switches to a model, also for the next start.
func (a *app) setModel(m *ai.Model) {
	a.settle(func(s *session.Session) (string, error) {
		err := s.SetModel(m)
		if err == nil {
			err = a.opts.Settings.Save("defaultProvider", m.Provider)
		}
		if err == nil {
			err = a.opts.Settings.Save("defaultModel", m.ID)
		}
		return "", err
	})
}

func (a *app) setThinking(level ai.ThinkingLevel) {
	a.settle(func(s *session.Session) (string, error) { return "", s.SetThinking(level) })
}

func (a *app) levels() []ai.ThinkingLevel {
	if m := a.session().State().Model; m != nil {
		return m.SupportedThinkingLevels()
	}
	return []ai.ThinkingLevel{ai.ThinkingOff}
}

func thinkingItems(a *app, args string) []item {
	var items []item
	for _, level := range a.levels() {
		if strings.HasPrefix(string(level), args) {
			items = append(items, item{label: string(level), value: string(level)})
		}
	}
	return items
}

func (a *app) pickThinking() {
	l := &list{title: "Thinking", plain: true, chosen: func(a *app, it item) { a.setThinking(it.value.(ai.ThinkingLevel)) }}
	now := a.session().State().Thinking
	for _, level := range a.levels() {
		l.items = append(l.items, item{label: string(level), value: level, marked: level == now})
	}
	a.push(l)
}

// SessionInfo is a session to go on with.
type SessionInfo struct {
	Path     string
	Title    string
	ID       string
	Modified time.Time
	Messages int
}

// sessionItems makes a list of sessions; now is the file that is worked with.
func sessionItems(sessions []SessionInfo, now string) []item {
	var items []item
	for _, s := range sessions {
		title := text.OneLine(s.Title)
		if title == "" {
			title = "(without a message)"
		}
		items = append(items, item{
			label: text.Plain(title, "").Cut(60, "…", 0).Text(), value: s.Path, marked: s.Path == now,
			detail: fmt.Sprintf("%s, %s", ago(time.Since(s.Modified)), plural(s.Messages, "1 message", "%d messages")),
			search: title + " " + s.ID,
		})
	}
	return items
}

// ago writes how long ago something was.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return plural(int(d.Minutes()), "1 minute ago", "%d minutes ago")
	case d < 24*time.Hour:
		return plural(int(d.Hours()), "1 hour ago", "%d hours ago")
	}
	return plural(int(d.Hours()/24), "1 day ago", "%d days ago")
}

// pickSession lists the sessions of the folder.
func (a *app) pickSession() {
	now := a.session().Store().Path()
	a.do(func(ctx context.Context) callMsg {
		sessions, err := a.opts.Sessions(ctx)
		return func(a *app) {
			switch {
			case err != nil:
				a.fail(err)
			case len(sessions) == 0:
				a.info("There is no other session of this folder.")
			default:
				a.push(&list{title: "Session to go on with", items: sessionItems(sessions, now), chosen: func(a *app, it item) {
					if path := it.value.(string); path != now {
						a.replace(func(ctx context.Context) (string, error) { return "", a.runtime.Switch(ctx, path) })
					}
				}})
			}
		}
	})
}

// pickFork lists the person's messages; the one that is chosen is written anew in a session
// of its own.
func (a *app) pickFork() {
	s := a.session()
	a.do(func(context.Context) callMsg {
		messages, err := session.ForkMessages(s.Store())
		return func(a *app) {
			switch {
			case err != nil:
				a.fail(err)
				return
			case len(messages) == 0:
				a.fail(session.ErrNothingToFork)
				return
			}
			l := &list{title: "Begin a session before the message", chosen: func(a *app, it item) {
				a.replace(func(ctx context.Context) (string, error) {
					return a.runtime.Fork(ctx, it.value.(transcript.EntryID), session.Before)
				})
			}}
			for i, m := range messages {
				l.items = append(l.items, item{label: text.OneLine(m.Text), value: m.EntryID, marked: i == len(messages)-1})
			}
			a.push(l)
		}
	})
}

// inFolder returns a path as seen from the session's folder.
func (a *app) inFolder(path string) string {
	path = strings.Trim(path, `"`)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder(a.session()), path)
}
