package extension

import (
	"context"
	"errors"
	"time"
)

// NoUI is the UI of a mode without a person: dialogs are declined at once, and nothing is
// shown. Modes embed it for what they do not have.
type NoUI struct{}

var _ UI = NoUI{}

// Select declines.
func (NoUI) Select(context.Context, string, []string, time.Duration) (string, bool) { return "", false }

// Confirm declines.
func (NoUI) Confirm(context.Context, string, string, time.Duration) bool { return false }

// Input declines.
func (NoUI) Input(context.Context, string, string, time.Duration) (string, bool) { return "", false }

// Editor declines.
func (NoUI) Editor(context.Context, string, string) (string, bool) { return "", false }

// Custom declines.
func (NoUI) Custom(context.Context, CustomFactory, *CustomOptions) (any, bool) { return nil, false }

// Notify shows nothing.
func (NoUI) Notify(string, string) {}

// SetStatus shows nothing.
func (NoUI) SetStatus(string, *string) {}

// SetWidget shows nothing.
func (NoUI) SetWidget(string, *Widget) {}

// SetTitle shows nothing.
func (NoUI) SetTitle(string) {}

// SetEditorText does nothing.
func (NoUI) SetEditorText(string) {}

// PasteToEditor does nothing.
func (NoUI) PasteToEditor(string) {}

// EditorText returns an empty text.
func (NoUI) EditorText() string { return "" }

// SetWorkingMessage does nothing.
func (NoUI) SetWorkingMessage(*string) {}

// SetWorkingVisible does nothing.
func (NoUI) SetWorkingVisible(bool) {}

// SetWorkingIndicator does nothing.
func (NoUI) SetWorkingIndicator(*Indicator) {}

// SetHiddenThinkingLabel does nothing.
func (NoUI) SetHiddenThinkingLabel(*string) {}

// SetFooter does nothing.
func (NoUI) SetFooter(FooterFactory) {}

// SetHeader does nothing.
func (NoUI) SetHeader(HeaderFactory) {}

// SetEditorComponent does nothing.
func (NoUI) SetEditorComponent(EditorFactory) {}

// EditorComponent returns nil.
func (NoUI) EditorComponent() EditorFactory { return nil }

// AddAutocompleteProvider does nothing.
func (NoUI) AddAutocompleteProvider(func(AutocompleteProvider) AutocompleteProvider) {}

// OnTerminalInput sees nothing.
func (NoUI) OnTerminalInput(TerminalInputHandler) (off func()) { return func() {} }

// Theme returns a theme without colours.
func (NoUI) Theme() Theme { return PlainTheme{} }

// Themes returns none.
func (NoUI) Themes() []ThemeInfo { return nil }

// ThemeNamed returns nil.
func (NoUI) ThemeNamed(string) Theme { return nil }

// SetTheme refuses.
func (NoUI) SetTheme(Theme) error { return errors.New("themes are for the terminal") }

// ToolsExpanded returns false.
func (NoUI) ToolsExpanded() bool { return false }

// SetToolsExpanded does nothing.
func (NoUI) SetToolsExpanded(bool) {}

// PlainTheme leaves texts as they are.
type PlainTheme struct{}

var _ Theme = PlainTheme{}

// Name returns "plain".
func (PlainTheme) Name() string { return "plain" }

// Fg returns the text.
func (PlainTheme) Fg(_, text string) string { return text }

// Bg returns the text.
func (PlainTheme) Bg(_, text string) string { return text }

// Bold returns the text.
func (PlainTheme) Bold(text string) string { return text }

// Italic returns the text.
func (PlainTheme) Italic(text string) string { return text }

// Underline returns the text.
func (PlainTheme) Underline(text string) string { return text }

// Inverse returns the text.
func (PlainTheme) Inverse(text string) string { return text }

// Strikethrough returns the text.
func (PlainTheme) Strikethrough(text string) string { return text }

// FgANSI returns nothing.
func (PlainTheme) FgANSI(string) string { return "" }

// BgANSI returns nothing.
func (PlainTheme) BgANSI(string) string { return "" }

// ColorMode returns "none".
func (PlainTheme) ColorMode() string { return "none" }
