// Command chat is a chat service over HTTP: any number of people talk in any number of chats, each
// gets the answer to their own prompt, and a person approves the calls of tools.
//
//	POST /chats                        {"id": …}
//	POST /chats/{id}/prompts           {"text": …} → {"answer": …, "cause": …, "cost": …}
//	GET  /chats/{id}/approvals         [{"id": …, "tool": …, "arguments": …}]
//	POST /chats/{id}/approvals/{call}  {"allow": true}
package main

import (
	"context"
	"log"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/session"
)

// approval is a call that waits for a person.
type approval struct {
	ID        string         `json:"id"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	decided   chan bool
}

// chat is a session with the calls that wait.
type chat struct {
	*rondo.Session
	waiting sync.Map // of *approval, by id
}

// approve is a hook: the call waits until a person has decided.
func (c *chat) approve(ctx context.Context, call *agent.PendingCall) (agent.Decision, error) {
	a := &approval{call.Call.ID, call.Call.Name, call.Args, make(chan bool, 1)}
	c.waiting.Store(a.ID, a)
	defer c.waiting.Delete(a.ID)
	select {
	case allowed := <-a.decided:
		return agent.Decision{Block: !allowed, Reason: "a person has refused this"}, nil
	case <-ctx.Done():
		return agent.Decision{}, context.Cause(ctx)
	}
}

// service has the chats.
type service struct {
	app   *rondo.App
	chats sync.Map // of *chat, by id
}

func (s *service) open(w http.ResponseWriter, r *http.Request) {
	c := &chat{}
	opened, err := s.app.Open(r.Context(), &rondo.SessionOptions{Hooks: agent.Hooks{BeforeToolCall: c.approve}})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	c.Session = opened
	s.chats.Store(c.ID(), c)
	_ = json.MarshalWrite(w, map[string]string{"id": c.ID()})
}

// ServeHTTP implements [http.Handler].
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := s.chats.Load(r.PathValue("id"))
	var in struct {
		Text  string `json:"text"`
		Allow bool   `json:"allow"`
	}
	if !ok || r.Method == http.MethodPost && json.UnmarshalRead(r.Body, &in) != nil {
		http.Error(w, "no such chat, or no JSON", http.StatusBadRequest)
		return
	}
	c, call := found.(*chat), r.PathValue("call")
	switch {
	case r.PathValue("what") == "prompts":
		// Of two people at the same moment one waits; each result is that of its own prompt.
		res, err := c.Prompt(r.Context(), session.Prompt{Text: in.Text, WhileBusy: session.FollowUp})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_ = json.MarshalWrite(w, map[string]any{"answer": res.Text(), "cause": res.Cause, "cost": res.Usage.Cost.Total})
	case call == "":
		waiting := []any{}
		c.waiting.Range(func(_, a any) bool { waiting = append(waiting, a); return true })
		_ = json.MarshalWrite(w, waiting)
	default:
		if a, ok := c.waiting.LoadAndDelete(call); ok {
			a.(*approval).decided <- in.Allow
			return
		}
		http.Error(w, "no such call waits", http.StatusNotFound)
	}
}

func routes(app *rondo.App) http.Handler {
	s, mux := &service{app: app}, http.NewServeMux()
	mux.HandleFunc("POST /chats", s.open)
	mux.Handle("/chats/{id}/{what}", s)
	mux.Handle("/chats/{id}/{what}/{call}", s)
	return mux
}

func main() {
	app, err := rondo.New(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", routes(app)))
}
