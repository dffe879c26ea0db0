package command

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
)

// setting is one that /settings offers.
type setting struct {
	key, about string
	values     func(c *Commands) []any
	// apply makes a value count at once; nil for one that counts from the next start or /reload.
	apply func(c *Commands, value any)
}

func of(values ...any) func(*Commands) []any { return func(*Commands) []any { return values } }

// settings are those that people change most, by their keys in settings.json.
var settings = []setting{
	{"theme", "colours", themeNames, func(c *Commands, v any) { c.Preferences().Theme = v.(string); c.ApplyTheme() }},
	{"hideThinkingBlock", "fold what the model thinks", of(true, false), func(c *Commands, v any) { c.Unfold(!v.(bool)) }},
	{"defaultThinkingLevel", "how much a model thinks at first", levelNames, nil},
	{"steeringMode", "steering messages that are delivered together", of("one-at-a-time", "all"), setQueueMode(true)},
	{"followUpMode", "follow-ups that are delivered together", of("one-at-a-time", "all"), setQueueMode(false)},
	{"compaction.enabled", "sum up what no longer fits", of(true, false), func(c *Commands, v any) { c.session().SetAutoCompaction(v.(bool)) }},
	{"retry.enabled", "repeat requests that have failed", of(true, false), func(c *Commands, v any) { c.session().SetAutoRetry(v.(bool)) }},
	{"branchSummary.skipPrompt", "leave a branch without a question", of(true, false), func(c *Commands, v any) { c.Preferences().SkipSummary = v.(bool) }},
	{"doubleEscapeAction", "what escape opens when it is pressed twice", of("tree", "fork", "none"), func(c *Commands, v any) { c.Preferences().DoubleEscape = v.(string) }},
	{"autocompleteMaxVisible", "suggestions that are seen at once", of(3, 5, 10, 20), func(c *Commands, v any) { c.Preferences().Completions = v.(int) }},
	{"terminal.showImages", "show images, where the terminal can", of(true, false), func(c *Commands, v any) { c.Preferences().HideImages = !v.(bool); c.ApplyImages() }},
	{"terminal.imageWidthCells", "columns that an image takes at most", of(40, 60, 80, 120), func(c *Commands, v any) { c.Preferences().ImageWidth = v.(int); c.ApplyImages() }},
	{"tuiMode", "screen", of("regular", "fullscreen"), func(c *Commands, v any) { c.Preferences().FullScreen = v == "fullscreen" }},
	{"fullscreenExitOutput", "what the full screen leaves behind", of("transcript", "resume-hint"), func(c *Commands, v any) { c.Preferences().Leaves = v == "resume-hint" }},
	{"images.autoResize", "scale images down", of(true, false), nil},
	{"images.blockImages", "send no images", of(true, false), nil},
	{"toolChanges", "record changes of the tools", of("on", "off"), nil},
	{"defaultProjectTrust", "whether the files of a project count", of("ask", "always", "never"), nil},
	{"quietStartup", "say nothing at the start", of(true, false), nil},
}

func themeNames(c *Commands) []any {
	var names []any
	for _, t := range c.UI().Themes() {
		names = append(names, t.Name)
	}
	return names
}

func levelNames(*Commands) []any {
	var names []any
	for _, level := range ai.ThinkingLevels {
		names = append(names, string(level))
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
	l := &dialog.List{Title: "Settings", Chosen: func(it dialog.Item) { c.changeSetting(it.Value.(*setting)) }}
	for i := range settings {
		s := &settings[i]
		l.Items = append(l.Items, dialog.Item{
			Label: s.about + ": " + written(c.Settings.Value(s.key)), Detail: s.key, Value: s, Search: s.about + " " + s.key,
		})
	}
	l.Select(func(it dialog.Item) bool { return it.Value.(*setting).key == at })
	c.Open(l)
}

// changeSetting changes a switch, and asks for another value of what is none.
func (c *Commands) changeSetting(s *setting) {
	now := c.Settings.Value(s.key)
	if on, ok := now.(bool); ok {
		c.keepSetting(s, !on)
		return
	}
	l := &dialog.List{Title: s.about, Plain: true, Dropped: func() { c.pickSetting(s.key) }}
	for _, v := range s.values(c) {
		l.Items = append(l.Items, dialog.Item{Label: written(v), Value: v, Marked: written(v) == written(now)})
	}
	l.Plain = len(l.Items) <= dialog.Rows
	l.Chosen = func(it dialog.Item) { c.keepSetting(s, it.Value) }
	c.Open(l)
}

// keepSetting stores a value and shows the list again.
func (c *Commands) keepSetting(s *setting, value any) {
	c.Do(func(context.Context) func() {
		err := c.Settings.Save(s.key, value)
		return func() {
			switch {
			case err != nil:
				c.Fail(err)
				return
			case s.apply != nil:
				s.apply(c, value)
			default:
				c.Hint(s.key + " counts from the next start, or after /reload")
			}
			c.pickSetting(s.key)
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
