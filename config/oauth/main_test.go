package oauth_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/config/oauth"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// authority plays an authorisation server. Each path has answers that it gives in turn, the
// last one for ever; what it was asked is kept.
type authority struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	answers map[string][]reply
	asked   map[string][]*http.Request
	forms   map[string][]url.Values
	bodies  map[string][]map[string]string
}

type reply struct {
	status int
	body   string
}

func newAuthority(t *testing.T, answers map[string][]reply) *authority {
	t.Helper()
	a := &authority{t: t, answers: answers, asked: make(map[string][]*http.Request), forms: make(map[string][]url.Values), bodies: make(map[string][]map[string]string)}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return a
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Header.Get("Content-Type") == "application/json" {
		var body map[string]string
		_ = json.UnmarshalRead(r.Body, &body)
		a.bodies[r.URL.Path] = append(a.bodies[r.URL.Path], body)
	} else {
		_ = r.ParseForm()
		a.forms[r.URL.Path] = append(a.forms[r.URL.Path], r.Form)
	}
	a.asked[r.URL.Path] = append(a.asked[r.URL.Path], r)
	left := a.answers[r.URL.Path]
	if len(left) == 0 {
		http.NotFound(w, r)
		return
	}
	if len(left) > 1 {
		a.answers[r.URL.Path] = left[1:]
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(left[0].status)
	_, _ = w.Write([]byte(left[0].body))
}

func (a *authority) count(path string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.asked[path])
}

func ok(body string) reply { return reply{http.StatusOK, body} }

func refuse(status int, code string) reply { return reply{status, `{"error":"` + code + `"}`} }

// jwt makes a token that names an account.
func jwt(account, more string) string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part(`{"alg":"none"}`) + "." + part(`{"https://api.openai.com/auth":{"chatgpt_account_id":"`+account+`"},"n":"`+more+`"}`) + ".x"
}

// clock notes how long somebody would have slept, and does not sleep.
type clock struct {
	mu    sync.Mutex
	slept []time.Duration
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept = append(c.slept, d)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// browser is a person who visits the address and comes back with what the server sends; visit
// makes the query of the way back from that of the way there.
func browser(t *testing.T, visit func(there url.Values, back string) []string) *oauth.UI {
	t.Helper()
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	return &oauth.UI{Browse: func(address string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Error(err)
			return
		}
		there := u.Query()
		back := there.Get("redirect_uri") + there.Get("callback_url")
		back = strings.Replace(back, "localhost", "127.0.0.1", 1)
		wg.Go(func() {
			for _, address := range visit(there, back) {
				resp, err := http.Get(address)
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			}
		})
	}}
}
