package ai

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxErrorBody bounds what a [StatusError] keeps of a body, in bytes.
const maxErrorBody = 4 << 10

// StatusError is a failure that a provider reports: a response whose status is not 2xx,
// or an error object inside a stream that began well.
type StatusError struct {
	// Status is the HTTP status; for an error inside a stream it is the one that the
	// error object names, or 0.
	Status int
	// Message is the provider's own explanation; empty if the body has none.
	Message string
	// Code is the provider's word for the kind of error, such as overloaded_error or
	// insufficient_quota.
	Code string
	// Body is the beginning of the body, at most 4 KiB.
	Body string
	// RetryAfter is how long the server asks to wait; 0 if it does not say.
	RetryAfter time.Duration
	// Note is what the client has to say of the failure, such as why it does not try again.
	Note string
	// Retry is the server's own advice (x-should-retry); nil if it gives none.
	Retry *bool
}

// NewStatusError reads what a failed response says. header may be nil. The result holds
// no request headers; text in which a server repeats a secret is the caller's to clean
// ([StatusError.Redact]).
func NewStatusError(status int, header http.Header, body []byte) *StatusError {
	e := &StatusError{Status: status, Body: cutText(string(body), maxErrorBody)}
	e.read(body)
	if name, _, _ := strings.Cut(header.Get("X-Amzn-Errortype"), ":"); name != "" { // AWS names the kind here alone
		e.Code = name
	}
	if e.Status == 0 {
		e.Status = statusOf(e.Code)
	}
	e.RetryAfter = retryAfter(header, time.Now)
	if advice, err := strconv.ParseBool(header.Get("X-Should-Retry")); err == nil {
		e.Retry = &advice
	}
	return e
}

// Error names the status, gives the provider's explanation and adds the note.
func (e *StatusError) Error() string {
	if e.Note != "" {
		return e.explanation() + "; " + e.Note
	}
	return e.explanation()
}

func (e *StatusError) explanation() string {
	message := e.Message
	if message == "" {
		message = strings.Join(strings.Fields(cutText(e.Body, 300)), " ")
	}
	switch {
	case e.Status == 0 && message == "":
		return "the provider reported an error without saying which"
	case e.Status == 0:
		return message
	case message == "":
		return strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
	}
	return fmt.Sprintf("%d %s", e.Status, message)
}

// Redact removes secrets that the server has repeated.
func (e *StatusError) Redact(secrets ...string) {
	for _, secret := range secrets {
		if len(secret) < 8 { // too short to be a key, and likely to hit plain words
			continue
		}
		e.Message = strings.ReplaceAll(e.Message, secret, "[redacted]")
		e.Body = strings.ReplaceAll(e.Body, secret, "[redacted]")
	}
}

// errorShape has the fields in which providers put explanations.
type errorShape struct {
	Error   jsontext.Value `json:"error"`
	Errors  jsontext.Value `json:"errors"`
	Message jsontext.Value `json:"message"`
	Msg     jsontext.Value `json:"msg"`
	Detail  jsontext.Value `json:"detail"`
	Type    jsontext.Value `json:"type"`
	Code    jsontext.Value `json:"code"`
	Status  jsontext.Value `json:"status"`
	// Metadata.Raw is what a router's upstream said (OpenRouter).
	Metadata struct {
		Raw jsontext.Value `json:"raw"`
	} `json:"metadata"`
}

func (e *StatusError) read(body []byte) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return
	}
	if body[0] == '<' {
		e.Message = pageTitle(body)
		return
	}
	e.Message, e.Code = explain(body, 0)
}

// explain finds the explanation and the code in an error object; depth bounds how far
// objects may nest.
func explain(raw []byte, depth int) (message, code string) {
	value := jsontext.Value(raw)
	if len(value) == 0 || depth > 4 {
		return "", ""
	}
	switch value.Kind() {
	case '"':
		return plain(value), ""
	case '[':
		var list []jsontext.Value
		if lenient(value, &list) != nil || len(list) == 0 {
			return "", ""
		}
		return explain(list[0], depth+1)
	case '{':
	default:
		return "", ""
	}
	var s errorShape
	if lenient(value, &s) != nil {
		return "", ""
	}
	for _, nested := range []jsontext.Value{s.Error, s.Errors, s.Detail} {
		if m, c := explain(nested, depth+1); m != "" || c != "" {
			return m, c
		}
	}
	message = firstNonEmpty(plain(s.Message), plain(s.Msg))
	code = firstNonEmpty(plain(s.Code), plain(s.Type), plain(s.Status))
	if statusOf(code) != 0 { // a number says less than a word, if there is one
		code = firstNonEmpty(plain(s.Type), plain(s.Status), code)
	}
	if raw := plain(s.Metadata.Raw); raw != "" {
		message = strings.TrimSpace(message + ": " + cutText(raw, 1000))
	}
	return message, code
}

// lenient decodes what servers send, which is not always strict JSON.
func lenient(raw jsontext.Value, into any) error {
	return json.Unmarshal(raw, into, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// plain returns a string or a number as text.
func plain(raw jsontext.Value) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw.Kind() {
	case '"':
		var s string
		if lenient(raw, &s) == nil {
			return s
		}
	case '0':
		return string(raw)
	}
	return ""
}

func firstNonEmpty(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// statusOf reads an HTTP error status that stands in a code; 0 if it is none.
func statusOf(code string) int {
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n <= 599 {
		return n
	}
	return 0
}

// pageTitle returns the title of an HTML page that a proxy sent in place of JSON.
func pageTitle(page []byte) string {
	lower := bytes.ToLower(page)
	_, rest, found := bytes.Cut(lower, []byte("<title>"))
	if !found || len(lower) != len(page) {
		return "the server answered with a web page"
	}
	from := len(lower) - len(rest)
	to := bytes.Index(rest, []byte("</"))
	if to < 0 {
		return "the server answered with a web page"
	}
	return strings.Join(strings.Fields(string(page[from:from+to])), " ")
}

// cutText returns at most the first n bytes of s, whole runes of valid UTF-8.
func cutText(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// retryAfter reads retry-after-ms (milliseconds) and retry-after (seconds or a date).
func retryAfter(header http.Header, now func() time.Time) time.Duration {
	if d, ok := parseDelay(header.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := header.Get("Retry-After")
	if d, ok := parseDelay(value, time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now()), 0)
	}
	return 0
}

func parseDelay(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(n >= 0) {
		return 0, false
	}
	const longest = 1e6 * float64(time.Hour)
	return time.Duration(min(n*float64(unit), longest)), true
}

// TimeoutError means that a provider was silent for too long.
type TimeoutError struct {
	// Waiting says for what: the response or more of the stream.
	Waiting string
	// After is how long.
	After time.Duration
}

// Error says what did not come, and for how long.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out: %s did not come for %s", e.Waiting, e.After)
}

// Timeout reports true, as errors of package net do.
func (e *TimeoutError) Timeout() bool { return true }
