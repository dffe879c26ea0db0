package replay

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

// Canned is a transport that answers every request with the same stream, and keeps the last
// request.
type Canned struct {
	Stream string

	URL    string
	Header http.Header
	Raw    string // the body as it was sent
	Body   map[string]any
}

// RoundTrip implements [http.RoundTripper].
func (c *Canned) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.URL, c.Header, c.Raw, c.Body = r.URL.String(), r.Header, string(raw), nil
	if err := json.Unmarshal(raw, &c.Body); err != nil {
		return nil, err
	}
	return streaming(io.NopCloser(strings.NewReader(c.Stream))), nil
}

// Client returns a client with this transport.
func (c *Canned) Client() *http.Client { return &http.Client{Transport: c} }

func streaming(body io.ReadCloser) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}
}

// SSE makes a stream of these events, each of one line.
func SSE(events ...string) string {
	var b strings.Builder
	for _, ev := range events {
		fmt.Fprintf(&b, "data: %s\n\n", ev)
	}
	return b.String()
}

// Lines returns the elements of a list in the body of a request, one JSON object a line.
func Lines(t testing.TB, list any) string {
	t.Helper()
	var lines []string
	for _, element := range list.([]any) {
		raw, err := json.Marshal(element, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(raw))
	}
	return strings.Join(lines, "\n")
}

// Show writes an answer's content in short, for tables of tests: each block with its
// signature, then the stop reason.
func Show(m *ai.AssistantMessage) string {
	var parts []string
	for _, block := range m.Content {
		text, signature := block.Type(), ""
		switch b := block.(type) {
		case *ai.Text:
			text, signature = fmt.Sprintf("text %q", b.Text), b.Signature
		case *ai.Thinking:
			text, signature = fmt.Sprintf("thinking %q", b.Thinking), b.Signature
		case *ai.ToolCall:
			text, signature = fmt.Sprintf("call %s %s %s", b.ID, b.Name, b.Arguments), b.ThoughtSignature
			if b.ArgumentsError != "" {
				signature += "(broken)"
			}
		default:
		}
		parts = append(parts, strings.TrimSpace(text+" "+signature))
	}
	return strings.Join(append(parts, string(m.StopReason)), "; ")
}

// CheckShown compares an answer with what [Show] writes of the one that is wanted, in which *
// may stand for what is made up, such as an id.
func CheckShown(t testing.TB, m *ai.AssistantMessage, want string) {
	t.Helper()
	got := Show(m)
	before, after, wild := strings.Cut(want, "*")
	if got != want && !(wild && len(got) >= len(before)+len(after) && strings.HasPrefix(got, before) && strings.HasSuffix(got, after)) {
		t.Errorf("got  %s (%s)\nwant %s", got, m.ErrorMessage, want)
	}
}

// Listen serves one handler on loopback. The client keeps no connection beyond the test.
func Listen(t testing.TB, handle http.HandlerFunc) (address string, client *http.Client) {
	t.Helper()
	server := httptest.NewServer(handle)
	transport := &http.Transport{}
	t.Cleanup(server.Close)
	t.Cleanup(transport.CloseIdleConnections)
	return server.URL, &http.Client{Transport: transport}
}

// Serve has a model served by one handler on loopback: its base URL becomes the address there
// with this path.
func Serve(t testing.TB, m *ai.Model, path string, handle http.HandlerFunc) *http.Client {
	t.Helper()
	address, client := Listen(t, handle)
	m.BaseURL = address + path
	return client
}
