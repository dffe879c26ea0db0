package oauth

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// The types of a [Credential].
const (
	TypeAPIKey = "api_key"
	TypeOAuth  = "oauth"
)

// Credential is an entry of auth.json, with the field names of Pi 0.85. It is secret.
type Credential struct {
	Type string `json:"type"`
	// Key is that of an API key: text, $NAME, or !command. Env are environment variables
	// of its provider.
	Key string            `json:"key,omitzero"`
	Env map[string]string `json:"env,omitzero"`
	// Access is the token of a login, and Refresh what it is renewed with.
	Access  string `json:"access,omitzero"`
	Refresh string `json:"refresh,omitzero"`
	// Expires is when Access ends, in milliseconds since 1970; 0 means never.
	Expires int64 `json:"expires,omitzero"`
	// AccountID is the account of a login to OpenAI Codex.
	AccountID string `json:"accountId,omitzero"`
	// EnterpriseURL is the domain of a GitHub Enterprise server.
	EnterpriseURL string `json:"enterpriseUrl,omitzero"`
	// Keyring says that the secret part is in the system's keyring, and not here.
	Keyring bool           `json:"keyring,omitzero"`
	Unknown jsontext.Value `json:",embed"`
}

// ValidFor reports whether the token is good for this long.
func (c *Credential) ValidFor(d time.Duration) bool {
	return c.Access != "" && (c.Expires == 0 || time.Now().Add(d).UnixMilli() < c.Expires)
}

// Auth is what requests carry for a login.
type Auth struct {
	// Token is sent as a bearer token, unless Key says that the wire sends it itself.
	Token string
	Key   bool
	// BaseURL is where to ask; empty stands for the model's own address.
	BaseURL string
	Headers map[string]string
}

// Login is one provider's way to log in.
type Login interface {
	// Login asks the person and returns a credential.
	Login(ctx context.Context, ui *UI, opts *Options) (*Credential, error)
	// Renew returns the credential with a fresh token. The one that it is given stays as
	// it is.
	Renew(ctx context.Context, c *Credential) (*Credential, error)
	// Auth returns what requests carry. It does no work.
	Auth(c *Credential) Auth
}

// Options are a person's choices. nil and the zero value are ready to use.
type Options struct {
	// Device asks for a code to be entered on any machine, where there is a choice.
	Device bool
	// Domain is that of a GitHub Enterprise server.
	Domain string
	// Models are those to switch on after a login, where a provider wants that.
	Models []string
}

// UI talks with the person who logs in. Functions that are nil are not called.
type UI struct {
	// Browse shows an address to go to with a browser, or opens it.
	Browse func(url string)
	// Code shows a code to enter at an address.
	Code func(url, code string, valid time.Duration)
	// Ask reads a line. It returns when ctx ends.
	Ask func(ctx context.Context, question string) (string, error)
	// Tell shows how far the login is.
	Tell func(text string)
}

func (ui *UI) browse(url string) {
	if ui.Browse != nil {
		ui.Browse(url)
	}
}

func (ui *UI) code(url, code string, valid time.Duration) {
	if ui.Code != nil {
		ui.Code(url, code, valid)
	}
}

func (ui *UI) tell(text string) {
	if ui.Tell != nil {
		ui.Tell(text)
	}
}

// Why a login has ended.
var (
	ErrDenied  = errors.New("the login was denied")
	ErrExpired = errors.New("the login was not confirmed in time")
	ErrRevoked = errors.New("the login does not count any more")
)

// Error is an error that an authorisation server has answered with.
type Error struct {
	// Status is that of the HTTP response; 0 if the error came through the browser.
	Status int
	// Code is the error code of OAuth (RFC 6749), and Text the server's explanation.
	Code, Text string
	cause      error
}

// Error describes it.
func (e *Error) Error() string {
	text := "the authorisation server answered"
	if e.cause != nil {
		text = e.cause.Error()
	}
	switch {
	case e.Code != "" && e.Text != "":
		return text + " (" + e.Code + ": " + e.Text + ")"
	case e.Code != "":
		return text + " (" + e.Code + ")"
	case e.Status != 0:
		return text + " (" + statusText(e.Status) + ")"
	}
	return text
}

// Unwrap returns [ErrDenied], [ErrExpired], [ErrRevoked] or nil.
func (e *Error) Unwrap() error { return e.cause }
