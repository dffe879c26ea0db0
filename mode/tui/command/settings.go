package command

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
)

// effects make a value of a setting count at once. Others count from the next start or /reload.
var effects = map[string]func(c *Commands, value any){
	"theme":                    func(c *Commands, v any) { c.Preferences().Theme = v.(string); c.ApplyTheme() },
	"hideThinkingBlock":        func(c *Commands, v any) { c.Unfold(!v.(bool)) },
	"steeringMode":             setQueueMode(true),
	"followUpMode":             setQueueMode(false),
	"compaction.enabled":       func(c *Commands, v any) { c.session().SetAutoCompaction(v.(bool)) },
	"retry.enabled":            func(c *Commands, v any) { c.session().SetAutoRetry(v.(bool)) },
	"branchSummary.skipPrompt": func(c *Commands, v any) { c.Preferences().SkipSummary = v.(bool) },
	"doubleEscapeAction":       func(c *Commands, v any) { c.Preferences().DoubleEscape = v.(string) },
	"autocompleteMaxVisible":   func(c *Commands, v any) { c.Preferences().Completions = v.(int) },
	"terminal.showImages":      func(c *Commands, v any) { c.Preferences().HideImages = !v.(bool); c.ApplyImages() },
	"terminal.imageWidthCells": func(c *Commands, v any) { c.Preferences().ImageWidth = v.(int); c.ApplyImages() },
	"tuiMode":                  func(c *Commands, v any) { c.Preferences().FullScreen = v == "fullscreen" },
	"fullscreenExitOutput":     func(c *Commands, v any) { c.Preferences().ExitHint = v == "resume-hint" },
}

// settings are the rows of the table that offer a choice, and the theme.
func (c *Commands) settings() (rows []config.Setting) {
	for _, row := range config.Table() {
		if row.Key == "theme" {
			row.Choices = c.themeNames()
		}
		if row.Choices != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

func (c *Commands) themeNames() []any {
	names := []any{}
	for _, t := range c.UI().Themes() {
		names = append(names, t.Name)
	}
	return names
}

// setQueueMode sets one of the two modes; the other stays.
func setQueueMode(steering bool) func(*Commands, any) {
	return func(c *Commands, v any) {
		modes := [2]agent.QueueMode{}
		if steering {
			modes[0] = agent.QueueMode(v.(string))
		} else {
			modes[1] = agent.QueueMode(v.(string))
		}
		c.Fail(c.session().SetQueueModes(modes[0], modes[1]))
	}
}

func settingsCommand(c *Commands, _ string) {
	c.pickSetting("")
}

// pickSetting lists the settings; the cursor begins at one of them.
func (c *Commands) pickSetting(at string) {
	l := &dialog.List{Title: "Settings", Chosen: func(it dialog.Item) { c.changeSetting(it.Value.(*config.Setting)) }}
	rows := c.settings()
	for i := range rows {
		s := &rows[i]
		l.Items = append(l.Items, dialog.Item{
			Label: s.Help + ": " + written(c.Settings.Value(s.Key)), Detail: s.Key, Value: s, Search: s.Help + " " + s.Key,
		})
	}
	l.Select(func(it dialog.Item) bool { return it.Value.(*config.Setting).Key == at })
	c.Open(l)
}

// changeSetting changes a switch, and asks for another value of what is none.
func (c *Commands) changeSetting(s *config.Setting) {
	now := c.Settings.Value(s.Key)
	if on, ok := now.(bool); ok {
		c.keepSetting(s, !on)
		return
	}
	l := &dialog.List{Title: s.Help, Plain: true, Dropped: func() { c.pickSetting(s.Key) }}
	for _, v := range s.Choices {
		l.Items = append(l.Items, dialog.Item{Label: written(v), Value: v, Marked: written(v) == written(now)})
	}
	l.Plain = len(l.Items) <= dialog.Rows
	l.Chosen = func(it dialog.Item) { c.keepSetting(s, it.Value) }
	c.Open(l)
}

// keepSetting stores a value and shows the list again.
func (c *Commands) keepSetting(s *config.Setting, value any) {
	c.Do(func(context.Context) func() {
		err := c.Settings.Save(s.Key, value)
		return func() {
			switch apply := effects[s.Key]; {
			case err != nil:
				c.Fail(err)
				return
			case apply != nil:
				apply(c, value)
			default:
				c.Hint(s.Key + " counts from the next start, or after /reload")
			}
			c.pickSetting(s.Key)
		}
	})
}

// written is how a value of a setting is shown.
func written(v any) string {
	switch v := v.(type) {
	case nil, string:
		if s, _ := v.(string); s != "" {
			return text.OneLine(s)
		}
		return "default"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return fmt.Sprint(v)
}
