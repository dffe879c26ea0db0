// Package prefs holds what a user may prefer of a terminal.
package prefs

import "github.com/rondo-agent/rondo/mode/tui/input"

// Preferences are the settings of a terminal that may change while it runs.
type Preferences struct {
	// SkipSummary leaves out the question whether to summarise a branch that is left.
	SkipSummary bool
	// Keys are which keys do what; nil means the usual ones.
	Keys *input.Keys
	// DoubleEscape is what pressing escape twice opens: tree, which empty stands for, fork
	// or none.
	DoubleEscape string
	// Editor is the program that app.editor.external opens; empty means $VISUAL or $EDITOR.
	Editor string
	// HideImages leaves images out, and ImageWidth is how many columns one takes at most; 0
	// means 60. ImageProtocol is how the terminal is sent them: kitty, iterm2 or none; auto,
	// which empty stands for, looks at the environment.
	HideImages    bool
	ImageWidth    int
	ImageProtocol string
	// FullScreen takes the whole screen, where the conversation is scrolled. At the end it is written
	// into the scrollback, unless ExitHint says that only how to go on is.
	FullScreen bool
	ExitHint   bool
	// Completions is how many suggestions are seen at once; 0 means 5.
	Completions int
	// Theme is the name of the theme, or of two, for light and dark terminals, with a slash
	// between them. Empty stands for the one that uses the terminal's own colours.
	Theme string
	// Themes are the files of themes, or folders of them; the first of a name counts.
	Themes []string
}

// Complete replaces zero values by their defaults.
func (p *Preferences) Complete() {
	if p.Keys == nil {
		p.Keys, _ = input.NewKeys(nil)
	}
	if p.Completions <= 0 {
		p.Completions = 5
	}
	if p.ImageWidth <= 0 {
		p.ImageWidth = 60
	}
}
