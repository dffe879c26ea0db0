package serve_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
)

// TestOpenWith_ServesAnApplication: an application's sessions are served with its models.
func TestOpenWith_ServesAnApplication(t *testing.T) {
	model := scripted.New(scripted.Say("An answer of the application."))
	app, err := rondo.New(t.Context(), &rondo.Options{
		Home: t.TempDir(), Dir: t.TempDir(), Models: rondo.ModelOptions{Custom: scripted.Record(), Stream: model.Stream},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	noted := 0
	p := newPlace(t, nil, func(o *serve.Options, _ *session.Options) {
		o.Open = serve.OpenWith(app, nil, func([]string) { noted++ })
	})
	s := p.newSession()
	body := p.do(http.MethodPost, s+"/prompt?stream=1", `{"message":"hello"}`)
	if !strings.Contains(body, "An answer of the application.") || noted == 0 {
		t.Errorf("noted %d times; the events are\n%s", noted, body)
	}
}
