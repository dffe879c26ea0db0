package proto

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Methods of a [UIRequest]. The first four are dialogs, which want a [UIAnswer].
const (
	MethodSelect  = "select"
	MethodConfirm = "confirm"
	MethodInput   = "input"
	MethodEditor  = "editor"

	MethodNotify        = "notify"
	MethodSetEditorText = "set_editor_text"

	// These last until the next of their kind.

	MethodSetStatus = "setStatus" // StatusText is nil where the status goes
	MethodSetWidget = "setWidget" // WidgetLines is nil where the widget goes
	MethodSetTitle  = "setTitle"
)

type (
	// UIRequest is an extension's request to the person at the client: the extension UI
	// protocol of Pi 0.85. Members that a method does not have are left out.
	UIRequest struct {
		line `json:"-"`

		ID     string `json:"id"`
		Method string `json:"method"`
		UITexts
		UIStatus
		UIWidget
		// Timeout is how long a dialog waits, in milliseconds; 0 waits for ever.
		Timeout int64 `json:"timeout,omitzero"`
	}
	// UITexts are the texts of dialogs and messages.
	UITexts struct {
		Title       *string  `json:"title,omitzero"`
		Options     []string `json:"options,omitzero"`
		Message     *string  `json:"message,omitzero"`
		Placeholder string   `json:"placeholder,omitzero"`
		Prefill     string   `json:"prefill,omitzero"`
		NotifyType  string   `json:"notifyType,omitzero"` // info, warning, error, or empty
		Text        *string  `json:"text,omitzero"`
	}
	// UIStatus is a text in the status line under a key.
	UIStatus struct {
		StatusKey  string  `json:"statusKey,omitzero"`
		StatusText *string `json:"statusText,omitzero"`
	}
	// UIWidget are lines beside the editor under a key.
	UIWidget struct {
		WidgetKey       string   `json:"widgetKey,omitzero"`
		WidgetLines     []string `json:"widgetLines,omitzero"`
		WidgetPlacement string   `json:"widgetPlacement,omitzero"`
	}
	// UIAnswer answers a dialog: the value of select, input and editor, the decision of
	// confirm, or that the person has declined.
	UIAnswer struct {
		Value     *string `json:"value,omitzero"`
		Confirmed *bool   `json:"confirmed,omitzero"`
		Cancelled bool    `json:"cancelled,omitzero"`
	}
	// ExtensionError says that a handler of an extension has failed. It changes nothing.
	ExtensionError struct {
		line `json:"-"`

		ExtensionPath string `json:"extensionPath"`
		Event         string `json:"event"`
		Error         string `json:"error"`
	}
)

// TypeUIAnswer is the type of a line that answers a dialog. It is no command.
const TypeUIAnswer = "extension_ui_response"

// Type returns "extension_ui_request".
func (*UIRequest) Type() string { return "extension_ui_request" }

// Type returns "extension_error".
func (*ExtensionError) Type() string { return "extension_error" }

// typed is an event with its type, as it is written.
type typed[T any] struct {
	Type string `json:"type"`
	Body *T     `json:",embed"`
}

type (
	plainUIRequest      UIRequest
	plainExtensionError ExtensionError
)

// MarshalJSONTo writes the request with its type.
func (r *UIRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, typed[plainUIRequest]{r.Type(), (*plainUIRequest)(r)})
}

// MarshalJSONTo writes the error with its type.
func (x *ExtensionError) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, typed[plainExtensionError]{x.Type(), (*plainExtensionError)(x)})
}
