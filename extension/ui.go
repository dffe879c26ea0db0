package extension

import (
	"context"
	"time"
)

// UI is the person at the other end, and what shows things to them. A mode implements it;
// what a mode does not have, it takes from [NoUI], which it embeds.
//
// A dialog ends with an answer, with its timeout (0 is none), or with its context; all but
// the first are that of a person who declines. Dialogs at the same time are shown one over
// or after the other. All methods may be called from any goroutine.
type UI interface {
	// Select asks for one of the options.
	Select(ctx context.Context, title string, options []string, timeout time.Duration) (choice string, ok bool)
	// Confirm asks a question for yes or no.
	Confirm(ctx context.Context, title, message string, timeout time.Duration) bool
	// Input asks for a line of text.
	Input(ctx context.Context, title, placeholder string, timeout time.Duration) (text string, ok bool)
	// Editor asks for a text of several lines.
	Editor(ctx context.Context, title, prefill string) (text string, ok bool)
	// Custom shows a component in the place of the editor, or over everything, until it
	// calls done; nil and false if the mode has no terminal.
	Custom(ctx context.Context, factory CustomFactory, opts *CustomOptions) (result any, ok bool)

	// Notify shows a message; kind is info, warning, error, or empty.
	Notify(message, kind string)
	// SetStatus shows a text in the status line under a key; nil takes it away.
	SetStatus(key string, text *string)
	// SetWidget shows lines or a component beside the editor under a key; nil takes it away.
	SetWidget(key string, widget *Widget)
	// SetTitle changes the title of the window.
	SetTitle(title string)

	// SetEditorText replaces the text that the person is writing, PasteToEditor inserts
	// into it as a paste does, and EditorText returns it.
	SetEditorText(text string)
	PasteToEditor(text string)
	EditorText() string

	// SetWorkingMessage, SetWorkingVisible and SetWorkingIndicator change what is shown
	// while the agent works; nil is the usual one.
	SetWorkingMessage(text *string)
	SetWorkingVisible(visible bool)
	SetWorkingIndicator(indicator *Indicator)
	// SetHiddenThinkingLabel changes what stands for thinking that is not shown.
	SetHiddenThinkingLabel(label *string)

	// SetFooter, SetHeader and SetEditorComponent replace parts of the terminal; nil is the
	// usual one. EditorComponent returns what was set.
	SetFooter(factory FooterFactory)
	SetHeader(factory HeaderFactory)
	SetEditorComponent(factory EditorFactory)
	EditorComponent() EditorFactory
	// AddAutocompleteProvider wraps what completes the person's text.
	AddAutocompleteProvider(wrap func(current AutocompleteProvider) AutocompleteProvider)
	// OnTerminalInput sees what is typed before everybody else.
	OnTerminalInput(handler TerminalInputHandler) (off func())

	// Theme is the theme in use. Themes lists all; ThemeNamed returns one, or nil; SetTheme
	// uses another one.
	Theme() Theme
	Themes() []ThemeInfo
	ThemeNamed(name string) Theme
	SetTheme(theme Theme) error
	// ToolsExpanded says whether results are shown in full.
	ToolsExpanded() bool
	SetToolsExpanded(expanded bool)
}

// ImageUI is a [UI] that can show images.
type ImageUI interface {
	// ImageProtocol is kitty or iterm2, or empty where no images are shown, with the size of a
	// character in pixels.
	ImageProtocol() (name string, cellWidth, cellHeight int)
	// ImageRows returns lines for components that show an image in base64 in at most so many
	// cells; 0 rows are as many as there are. It is nil if the image cannot be shown.
	ImageRows(data, mimeType string, columns, rows int) []string
}

// Component is a part of the terminal. It is called by one goroutine at a time.
type Component interface {
	// Render returns lines of at most width cells; they may hold escape sequences of
	// colours.
	Render(width int) []string
	// HandleInput gets what was typed while the component has the focus: one key or paste.
	HandleInput(data string)
	// Invalidate drops what the component has cached, for instance since the theme is
	// another one.
	Invalidate()
}

// Optional abilities of a [Component].
type (
	// Focuser is told whether it has the focus.
	Focuser interface{ SetFocused(focused bool) }
	// Disposer is told that it is not shown any more.
	Disposer interface{ Dispose() }
	// KeyReleaser gets releases of keys as well, if it wants to.
	KeyReleaser interface{ WantsKeyRelease() bool }
)

// Screen is the terminal, for components.
type Screen interface {
	// RequestRender draws again, soon; full draws every line.
	RequestRender(full bool)
	// Size returns columns and rows.
	Size() (columns, rows int)
	// SetFocus gives the focus to a component that is shown, or a part of one; nil is nobody.
	SetFocus(c Component)
	// ShowOverlay shows a component over everything. HideOverlay takes the newest one away,
	// and HasOverlay reports whether one is seen.
	ShowOverlay(c Component, opts *OverlayOptions) Overlay
	HideOverlay()
	HasOverlay() bool
	// Stop gives the terminal to another program, and Start takes it back.
	Stop()
	Start()
}

// Overlay is a component that is shown over everything.
type Overlay interface {
	// Hide takes it away for good, and SetHidden for a while.
	Hide()
	SetHidden(hidden bool)
	IsHidden() bool
	// Focus brings it to the top, where it gets what is typed. Unfocus gives that to the
	// next overlay or to what had it before, and UnfocusTo to a component, or to nobody.
	Focus()
	Unfocus()
	UnfocusTo(c Component)
	IsFocused() bool
	// Bounds is where it was drawn last; false while it is not seen.
	Bounds() (b Bounds, ok bool)
}

// Bounds is a part of the screen, in cells from its upper left corner.
type Bounds struct {
	Row    int `json:"row"`
	Col    int `json:"col"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// OverlayOptions say where an overlay stands (Pi 0.85). Sizes are cells, or percentages
// such as "50%".
type OverlayOptions struct {
	Width     string  `json:"width,omitzero"`
	MinWidth  int     `json:"minWidth,omitzero"`
	MaxHeight string  `json:"maxHeight,omitzero"`
	Anchor    string  `json:"anchor,omitzero"` // center, top-left, top-center, …
	OffsetX   int     `json:"offsetX,omitzero"`
	OffsetY   int     `json:"offsetY,omitzero"`
	Row       string  `json:"row,omitzero"`
	Col       string  `json:"col,omitzero"`
	Margin    Margins `json:"margin,omitzero"`
	// NonCapturing overlays do not take the focus.
	NonCapturing bool `json:"nonCapturing,omitzero"`
	// Visible, if set, is asked whether a terminal of this size shows the overlay.
	Visible func(columns, rows int) bool `json:"-"`
}

// Margins are cells that stay free.
type Margins struct {
	Top    int `json:"top,omitzero"`
	Right  int `json:"right,omitzero"`
	Bottom int `json:"bottom,omitzero"`
	Left   int `json:"left,omitzero"`
}

// CustomFactory makes a component that asks; done ends it with a result.
type CustomFactory func(screen Screen, theme Theme, keys Keybindings, done func(result any)) (Component, error)

// CustomOptions say how a component of [UI.Custom] is shown.
type CustomOptions struct {
	// Overlay shows it over everything, as OverlayOptions say; they are asked for at each
	// drawing. OnHandle gets the overlay.
	Overlay        bool
	OverlayOptions func() *OverlayOptions
	OnHandle       func(Overlay)
}

// Widget is shown beside the editor: lines or a component.
type Widget struct {
	Lines     []string
	Component func(screen Screen, theme Theme) Component
	// Placement is aboveEditor, belowEditor, or empty.
	Placement string
}

// Indicator is what moves while the agent works. Without frames nothing does.
type Indicator struct {
	Frames   []string
	Interval time.Duration
}

type (
	// HeaderFactory makes a header.
	HeaderFactory func(screen Screen, theme Theme) Component
	// FooterFactory makes a footer.
	FooterFactory func(screen Screen, theme Theme, data FooterData) Component
	// EditorFactory makes an editor.
	EditorFactory func(screen Screen, theme Theme, keys Keybindings) EditorComponent
	// TerminalInputHandler may change what was typed, or consume it.
	TerminalInputHandler func(data string) (changed string, consumed bool)
)

// FooterData is what a footer shows.
type FooterData interface {
	// GitBranch is empty outside of a repository.
	GitBranch() string
	// ExtensionStatuses are the texts of [UI.SetStatus].
	ExtensionStatuses() map[string]string
	AvailableProviderCount() int
	OnBranchChange(fn func()) (off func())
}

// EditorComponent is where a person writes.
type EditorComponent interface {
	Component
	Text() string
	SetText(text string)
	// ExpandedText is the text with pastes in full.
	ExpandedText() string
	InsertText(text string)
	AddToHistory(text string)
	// OnSubmit and OnChange set who is told.
	OnSubmit(fn func(text string))
	OnChange(fn func(text string))
	SetAutocompleteProvider(p AutocompleteProvider)
}

// Keybindings are the keys of actions.
type Keybindings interface {
	// Matches reports whether what was typed is a key of the action.
	Matches(data, action string) bool
	// Keys lists the keys of an action.
	Keys(action string) []string
}

// AutocompleteItem is a suggestion.
type AutocompleteItem struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
}

// Suggestions are what fits a text.
type Suggestions struct {
	Items []AutocompleteItem `json:"items"`
	// Prefix is the part of the text that a suggestion replaces.
	Prefix string `json:"prefix"`
}

// AutocompleteProvider completes what a person writes.
type AutocompleteProvider interface {
	// Suggest returns nil if nothing fits. Line and col count from 0; force says that the
	// person has asked.
	Suggest(ctx context.Context, lines []string, line, col int, force bool) (*Suggestions, error)
	// Apply puts a suggestion in the place of the prefix.
	Apply(lines []string, line, col int, item AutocompleteItem, prefix string) (changed []string, newLine, newCol int)
	// TriggersFiles reports whether files are suggested without being asked for.
	TriggersFiles(lines []string, line, col int) bool
	// Triggers are the characters that suggestions come for.
	Triggers() []string
}

// Theme colours texts. Names of colours are those of Pi's themes.
type Theme interface {
	Name() string
	Fg(color, text string) string
	Bg(color, text string) string
	Bold(text string) string
	Italic(text string) string
	Underline(text string) string
	Inverse(text string) string
	Strikethrough(text string) string
	// FgANSI and BgANSI return the escape sequence alone.
	FgANSI(color string) string
	BgANSI(color string) string
	// ColorMode is truecolor, 256color or none.
	ColorMode() string
}

// ThemeInfo is a theme that can be used.
type ThemeInfo struct {
	Name string `json:"name"`
	Path string `json:"path,omitzero"`
}
