package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/fuzzy"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/view"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
)

func pickModelCommand(c *Commands, args string) {
	if args != "" {
		provider, id, _ := strings.Cut(args, "/")
		if m := c.Models.Get(provider, id); m != nil {
			c.setModel(m)
			return
		}
	}
	c.PickModel(args)
}

func modelItems(c *Commands, args string) []input.Suggestion {
	var items []input.Suggestion
	for _, m := range c.Models.Available() {
		name := text.OneLine(m.Provider + "/" + m.ID)
		if fuzzy.Words(args, name+" "+m.Name).OK {
			items = append(items, input.Suggestion{Label: name, Detail: text.OneLine(m.Name), Value: name})
		}
	}
	return items
}

// PickModel lists the models that can be asked.
func (c *Commands) PickModel(query string) {
	l := &dialog.List{Title: "Model", Chosen: func(it dialog.Item) { c.setModel(it.Value.(*ai.Model)) }}
	now := c.session().State().Model
	for _, m := range c.Models.Available() {
		detail := chat.Tokens(m.ContextWindow) + " tokens"
		if m.Name != m.ID {
			detail = m.Name + ", " + detail
		}
		l.Items = append(l.Items, dialog.Item{
			Label: text.OneLine(m.Provider + "/" + m.ID), Detail: text.OneLine(detail), Value: m,
			Marked: now != nil && now.Provider == m.Provider && now.ID == m.ID,
		})
	}
	if len(l.Items) == 0 {
		c.Info("No model can be used: set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY before the start, or list models in models.json.")
		return
	}
	l.Search(query)
	c.Open(l)
}

// setModel switches to a model, also for the next start.
func (c *Commands) setModel(m *ai.Model) {
	c.settle(func(s *session.Session) (string, error) {
		err := s.SetModel(m)
		if err == nil {
			err = c.Settings.Save("defaultProvider", m.Provider)
		}
		if err == nil {
			err = c.Settings.Save("defaultModel", m.ID)
		}
		return "", err
	})
}

func (c *Commands) setThinking(level ai.ThinkingLevel) {
	c.settle(func(s *session.Session) (string, error) { return "", s.SetThinking(level) })
}

func (c *Commands) levels() []ai.ThinkingLevel {
	if m := c.session().State().Model; m != nil {
		return m.SupportedThinkingLevels()
	}
	return []ai.ThinkingLevel{ai.ThinkingOff}
}

func thinkingItems(c *Commands, args string) []input.Suggestion {
	var items []input.Suggestion
	for _, level := range c.levels() {
		if strings.HasPrefix(string(level), args) {
			items = append(items, input.Suggestion{Label: string(level), Value: string(level)})
		}
	}
	return items
}

func (c *Commands) pickThinking() {
	l := &dialog.List{Title: "Thinking", Plain: true, Chosen: func(it dialog.Item) { c.setThinking(it.Value.(ai.ThinkingLevel)) }}
	now := c.session().State().Thinking
	for _, level := range c.levels() {
		l.Items = append(l.Items, dialog.Item{Label: string(level), Value: level, Marked: level == now})
	}
	c.Open(l)
}

// SessionInfo is a session to go on with.
type SessionInfo struct {
	Path     string
	Title    string
	ID       string
	Modified time.Time
	Messages int
}

// SessionItems makes a list of sessions; now is the file that is worked with.
func SessionItems(sessions []SessionInfo, now string) []dialog.Item {
	var items []dialog.Item
	for _, s := range sessions {
		title := text.OneLine(s.Title)
		if title == "" {
			title = "(without a message)"
		}
		items = append(items, dialog.Item{
			Label: text.Plain(title, "").Cut(60, "…", 0).Text(), Value: s.Path, Marked: s.Path == now,
			Detail: fmt.Sprintf("%s, %s", ago(time.Since(s.Modified)), view.Plural(s.Messages, "1 message", "%d messages")),
			Search: title + " " + s.ID,
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
		return view.Plural(int(d.Minutes()), "1 minute ago", "%d minutes ago")
	case d < 24*time.Hour:
		return view.Plural(int(d.Hours()), "1 hour ago", "%d hours ago")
	}
	return view.Plural(int(d.Hours()/24), "1 day ago", "%d days ago")
}

// pickSession lists the sessions of the folder.
func (c *Commands) pickSession() {
	now := c.session().Store().Path()
	c.Do(func(ctx context.Context) func() {
		sessions, err := c.Sessions(ctx)
		return func() {
			switch {
			case err != nil:
				c.Fail(err)
			case len(sessions) == 0:
				c.Info("There is no other session of this folder.")
			default:
				c.Open(&dialog.List{Title: "Session to go on with", Items: SessionItems(sessions, now), Chosen: func(it dialog.Item) {
					if path := it.Value.(string); path != now {
						c.replace(func(ctx context.Context) (string, error) { return "", c.Runtime().Switch(ctx, path) })
					}
				}})
			}
		}
	})
}

// PickFork lists the user's messages; the one that is chosen is written anew in a session
// of its own.
func (c *Commands) PickFork() {
	s := c.session()
	c.Do(func(context.Context) func() {
		messages, err := session.ForkMessages(s.Store())
		return func() {
			switch {
			case err != nil:
				c.Fail(err)
				return
			case len(messages) == 0:
				c.Fail(session.ErrNothingToFork)
				return
			}
			l := &dialog.List{Title: "Begin a session before the message", Chosen: func(it dialog.Item) {
				c.replace(func(ctx context.Context) (string, error) {
					return c.Runtime().Fork(ctx, it.Value.(transcript.EntryID), session.Before)
				})
			}}
			for i, m := range messages {
				l.Items = append(l.Items, dialog.Item{Label: text.OneLine(m.Text), Value: m.EntryID, Marked: i == len(messages)-1})
			}
			c.Open(l)
		}
	})
}
