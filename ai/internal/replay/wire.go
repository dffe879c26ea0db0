package replay

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/aitest"
)

// Wire is a wire whose answers [Wire.Check] sees through everything that connections do.
type Wire struct {
	Ask ai.StreamFunc
	// Model is asked, at another address. Base is the path that its base URL ends with.
	Model ai.Model
	Base  string
	// Text returns the beginning of an answer: one that says text.
	Text func(text string) string
	// Finish says how the answer ends, after which only its usage may come; empty if
	// everything comes with End.
	Finish string
	// End ends the answer.
	End string
}

// request is a request of the wire to a server at this address.
func (w *Wire) request(address string, client *http.Client) *ai.Request {
	m := w.Model
	m.BaseURL = address + w.Base
	return &ai.Request{Model: &m, Options: ai.Options{Client: client, APIKey: "very-secret"}}
}

func (w *Wire) answer(ctx context.Context, t testing.TB, req *ai.Request) *ai.AssistantMessage {
	t.Helper()
	s := w.Ask(ctx, req)
	aitest.CheckStream(t, s)
	return s.Result()
}

// whole is an answer that says x.
func (w *Wire) whole() string { return w.Text("x") + w.Finish + w.End }

const (
	shownWhole = `text "x"; stop`
	shownCut   = `text "x"; error`
)

// Check checks all of it, each in a test with the name of the report.
func (w *Wire) Check(t *testing.T) {
	t.Run("Report_PRV15_TheEndDoesNotWaitForTheServer", w.checkEnd)
	t.Run("Report_PRV16_TheLastEventNeedsNoEmptyLine", w.checkLastLine)
	t.Run("Report_PRV20_AnySplitGivesTheSame", w.checkSplits)
	t.Run("Report_RTY12_CutStreamsAreTransient", w.checkCuts)
	t.Run("Report_PRV26_ClosedConnections", w.checkClosed)
	t.Run("Report_PRV28_AbortIsAbort", w.checkAbort)
	t.Run("SilenceEndsAnAnswer", w.checkSilence)
	t.Run("BreakingOutCancelsTheRequest", w.checkBreak)
	t.Run("NoStreamButJSON", w.checkJSON)
	t.Run("Law_T2_ErrorsHideSecrets", w.checkSecrets)
}

// held is a transport whose answer is this text, and then silence for as long as the client
// wants to wait.
type held string

func (h held) RoundTrip(*http.Request) (*http.Response, error) {
	return streaming(&heldBody{text: strings.NewReader(string(h)), closed: make(chan struct{})}), nil
}

type heldBody struct {
	text   io.Reader
	once   sync.Once
	closed chan struct{}
}

func (b *heldBody) Read(p []byte) (int, error) {
	if n, err := b.text.Read(p); err == nil {
		return n, nil
	}
	<-b.closed
	return 0, http.ErrBodyReadAfterClose
}

func (b *heldBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

func (w *Wire) checkEnd(t *testing.T) {
	const patience = 2 * time.Second // less than any wire waits for what may still come
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		CheckShown(t, w.answer(t.Context(), t, w.request("http://lab", &http.Client{Transport: held(w.whole())})), shownWhole)
		if d := time.Since(began); d > patience {
			t.Errorf("waited %v after the end", d)
		}
	})
}

func (w *Wire) checkLastLine(t *testing.T) {
	stream, lines := strings.CutSuffix(w.whole(), "\n\n")
	if !lines {
		t.Skip("the wire is not one of lines")
	}
	c := &Canned{Stream: stream}
	CheckShown(t, w.answer(t.Context(), t, w.request("http://lab", c.Client())), shownWhole)
}

func (w *Wire) checkSplits(t *testing.T) {
	const text = "Grüße 🙂 漢字"
	stream := w.Text(text) + w.Finish + w.End
	forms := map[string]string{"as it is": stream}
	if strings.HasSuffix(stream, "\n\n") {
		forms["CRLF"] = strings.ReplaceAll(stream, "\n", "\r\n")
		forms["CR"] = strings.ReplaceAll(stream, "\n", "\r")
		forms["no space"] = strings.ReplaceAll(stream, "data: ", "data:")
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			address, client := Listen(t, func(rw http.ResponseWriter, _ *http.Request) {
				for i := range len(form) {
					_, _ = io.WriteString(rw, form[i:i+1])
					_ = http.NewResponseController(rw).Flush()
				}
			})
			CheckShown(t, w.answer(t.Context(), t, w.request(address, client)), `text "`+text+`"; stop`)
		})
	}
}

// A cut answer is never taken for a whole one; between two events it is known to be cut.
func (w *Wire) checkCuts(t *testing.T) {
	text := w.Text("x")
	for n := range len(text) + 1 {
		c := &Canned{Stream: text[:n]}
		m := w.answer(t.Context(), t, w.request("http://lab", c.Client()))
		between := n == 0 || n == len(text) || strings.HasSuffix(text[:n], "\n\n")
		if m.StopReason != ai.StopError || between && !ai.IsRetryable(m) {
			t.Errorf("cut after %d bytes: got %s, %q", n, Show(m), m.ErrorMessage)
		}
	}
}

func (w *Wire) checkClosed(t *testing.T) {
	address, client := Listen(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(rw, w.Text("x")+w.whole()[:8])
	})
	m := w.answer(t.Context(), t, w.request(address, client))
	CheckShown(t, m, shownCut)
	if !ai.IsRetryable(m) {
		t.Errorf("%q is not retried", m.ErrorMessage)
	}
}

func (w *Wire) checkAbort(t *testing.T) {
	for name, stream := range map[string]string{"before the first event": "", "before the end": w.Text("x"), "after the finish reason": w.Text("x") + w.Finish} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(30*time.Millisecond, func() { cancel(errors.New("escape")) })
				req := w.request("http://lab", &http.Client{Transport: held(stream)})
				req.Options.MaxRetries = 3
				if m := w.answer(ctx, t, req); m.StopReason != ai.StopAborted || ai.IsRetryable(m) {
					t.Errorf("got %s, %q", Show(m), m.ErrorMessage)
				}
			})
		})
	}
}

func (w *Wire) checkSilence(t *testing.T) {
	ask := func(stream string) (m *ai.AssistantMessage) {
		synctest.Test(t, func(t *testing.T) {
			req := w.request("http://lab", &http.Client{Transport: held(stream)})
			req.Options.IdleTimeout = time.Minute
			m = w.answer(t.Context(), t, req)
		})
		return m
	}
	m := ask(w.Text("x"))
	CheckShown(t, m, shownCut)
	if _, silent := errors.AsType[*ai.TimeoutError](m.Err); !silent || !ai.IsRetryable(m) {
		t.Errorf("got %v", m.Err)
	}
	if w.Finish != "" { // only the usage is lost
		CheckShown(t, ask(w.Text("x")+w.Finish), shownWhole)
	}
}

func (w *Wire) checkBreak(t *testing.T) {
	gone := make(chan struct{})
	address, client := Listen(t, func(rw http.ResponseWriter, r *http.Request) {
		defer close(gone)
		_, _ = io.WriteString(rw, w.Text("x"))
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
	})
	for ev, err := range w.Ask(t.Context(), w.request(address, client)).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ev.(*ai.TextDelta); ok {
			break
		}
	}
	<-gone
}

func (w *Wire) checkJSON(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"no such model"}}`: "no such model",
		`{"answer":"whole"}`:                    "in place of a stream",
	} {
		address, client := Listen(t, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/json; charset=UTF-8")
			_, _ = io.WriteString(rw, body)
		})
		if m := w.answer(t.Context(), t, w.request(address, client)); !strings.Contains(m.ErrorMessage, want) {
			t.Errorf("got %q, want %q", m.ErrorMessage, want)
		}
	}
}

func (w *Wire) checkSecrets(t *testing.T) {
	address, client := Listen(t, func(rw http.ResponseWriter, r *http.Request) {
		if told := r.URL.RawQuery; strings.Contains(told, "very-secret") {
			t.Errorf("the key stands in the address: %s", told)
		}
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(rw, `{"error":{"message":"refused: very-secret"}}`)
	})
	if m := w.answer(t.Context(), t, w.request(address, client)); !strings.Contains(m.ErrorMessage, "refused") || strings.Contains(m.ErrorMessage, "very-secret") {
		t.Errorf("got %q", m.ErrorMessage)
	}
}
