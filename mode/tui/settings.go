package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
)

// setting is one that /settings offers.
type setting struct {
	key, about string
	values     func(a *app) []any
	// apply makes a value count at once; nil for one that counts from the next start or /reload.
	apply func(a *app, value any)
}

func of(values ...any) func(*app) []any { return func(*app) []any { return values } }

// settings are those that people change most, by their keys in settings.json.
var settings = []setting{
	{"theme", "colours", themeNames, func(a *app, v any) { a.opts.Theme = v.(string); a.applyTheme() }},
	{"hideThinkingBlock", "fold what the model thinks", of(true, false), func(a *app, v any) { a.unfolded = !v.(bool); a.redrawTurn() }},
	{"defaultThinkingLevel", "how much a model thinks at first", levelNames, nil},
	{"steeringMode", "steering messages that are delivered together", of("one-at-a-time", "all"), setQueueMode(true)},
	{"followUpMode", "follow-ups that are delivered together", of("one-at-a-time", "all"), setQueueMode(false)},
	{"compaction.enabled", "sum up what no longer fits", of(true, false), func(a *app, v any) { a.session().SetAutoCompaction(v.(bool)) }},
	{"retry.enabled", "repeat requests that have failed", of(true, false), func(a *app, v any) { a.session().SetAutoRetry(v.(bool)) }},
	{"branchSummary.skipPrompt", "leave a branch without a question", of(true, false), func(a *app, v any) { a.opts.SkipSummary = v.(bool) }},
	{"doubleEscapeAction", "what escape opens when it is pressed twice", of("tree", "fork", "none"), func(a *app, v any) { a.opts.DoubleEscape = v.(string) }},
	{"autocompleteMaxVisible", "suggestions that are seen at once", of(3, 5, 10, 20), func(a *app, v any) { a.opts.Completions = v.(int) }},
	{"terminal.showImages", "show images, where the terminal can", of(true, false), func(a *app, v any) { a.opts.HideImages = !v.(bool); a.reillustrate() }},
	{"terminal.imageWidthCells", "columns that an image takes at most", of(40, 60, 80, 120), func(a *app, v any) { a.opts.ImageWidth = v.(int); a.reillustrate() }},
	{"tuiMode", "screen", of("regular", "fullscreen"), func(a *app, v any) { a.opts.FullScreen = v == "fullscreen" }},
	{"fullscreenExitOutput", "what the full screen leaves behind", of("transcript", "resume-hint"), func(a *app, v any) { a.opts.Leaves = v == "resume-hint" }},
	{"images.autoResize", "scale images down", of(true, false), nil},
	{"images.blockImages", "send no images", of(true, false), nil},
	{"toolChanges", "record changes of the tools", of("on", "off"), nil},
	{"defaultProjectTrust", "whether the files of a project count", of("ask", "always", "never"), nil},
	{"quietStartup", "say nothing at the start", of(true, false), nil},
}

func themeNames(a *app) []any {
	var names []any
	for _, t := range a.opts.ui.Themes() {
		names = append(names, t.Name)
	}
	return names
}

func levelNames(*app) []any {
	var names []any
	for _, level := range ai.ThinkingLevels {
		names = append(names, string(level))
	}
	return names
}

// setQueueMode sets one of the two modes; the other stays.
func setQueueMode(steering bool) func(*app, any) {
	return func(a *app, v any) {
		modes := [2]agent.QueueMode{}
		if steering {
			modes[0] = agent.QueueMode(v.(string))
		} else {
			modes[1] = agent.QueueMode(v.(string))
		}
		a.fail(a.session().SetQueueModes(modes[0], modes[1]))
	}
}

func settingsCommand(a *app, _ string) tea.Cmd {
	a.pickSetting("")
	return nil
}

// pickSetting lists the settings; the cursor begins at one of them.
func (a *app) pickSetting(at string) {
	l := &list{title: "Settings", chosen: func(a *app, it item) { a.changeSetting(it.value.(*setting)) }}
	for i := range settings {
		s := &settings[i]
		l.items = append(l.items, item{
			label: s.about + ": " + written(a.opts.Settings.Value(s.key)), detail: s.key, value: s, search: s.about + " " + s.key,
		})
	}
	l.filter()
	for i, it := range l.items {
		if it.value.(*setting).key == at {
			l.at = i
		}
	}
	a.push(l)
}

// changeSetting changes a switch, and asks for another value of what is none.
func (a *app) changeSetting(s *setting) {
	now := a.opts.Settings.Value(s.key)
	if on, ok := now.(bool); ok {
		a.keepSetting(s, !on)
		return
	}
	l := &list{title: s.about, plain: true, dropped: func(a *app) { a.pickSetting(s.key) }}
	for _, v := range s.values(a) {
		l.items = append(l.items, item{label: written(v), value: v, marked: written(v) == written(now)})
	}
	l.plain = len(l.items) <= listRows
	l.chosen = func(a *app, it item) { a.keepSetting(s, it.value) }
	a.push(l)
}

// keepSetting stores a value and shows the list again.
func (a *app) keepSetting(s *setting, value any) {
	a.do(func(context.Context) callMsg {
		err := a.opts.Settings.Save(s.key, value)
		return func(a *app) {
			switch {
			case err != nil:
				a.fail(err)
				return
			case s.apply != nil:
				s.apply(a, value)
			default:
				a.hint = s.key + " counts from the next start, or after /reload"
			}
			a.pickSetting(s.key)
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
