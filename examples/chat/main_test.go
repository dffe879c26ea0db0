package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
)

// model answers a prompt with its text, or writes the file that the prompt names first.
func model(ctx context.Context, req *ai.Request) *ai.Stream {
	reply := scripted.Say("done")
	if last, ok := req.Context.Messages[len(req.Context.Messages)-1].(*ai.UserMessage); ok {
		text := last.Content.Text()
		reply = scripted.Say("echo " + text)
		if file, ok := strings.CutPrefix(text, "write "); ok {
			reply = scripted.Of(scripted.Call("call-"+file, "write", map[string]any{"path": file, "content": "x"}))
		}
	}
	reply.Latency = time.Millisecond
	return scripted.New(reply).Stream(ctx, req)
}

// client talks to the service.
type client struct {
	t    *testing.T
	base string
}

func (c *client) do(method, path string, body, into any) int {
	raw, err := json.Marshal(body)
	if err != nil {
		c.t.Error(err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, bytes.NewReader(raw))
	if err != nil {
		c.t.Error(err)
		return 0
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Error(err)
		return 0
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Error(err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			c.t.Errorf("%s %s: %s: %v", method, path, text, err)
		}
	}
	return res.StatusCode
}

func (c *client) open() (chat string) {
	var opened struct {
		ID string `json:"id"`
	}
	c.do("POST", "/chats", nil, &opened)
	return "/chats/" + opened.ID
}

func (c *client) prompt(chat, text string) string {
	var got struct {
		Answer string `json:"answer"`
	}
	c.do("POST", chat+"/prompts", map[string]string{"text": text}, &got)
	return got.Answer
}

func start(t *testing.T) (c *client, dir string) {
	t.Helper()
	dir = t.TempDir()
	app, err := rondo.New(t.Context(), &rondo.Options{
		Home: t.TempDir(), Dir: dir, Models: rondo.ModelOptions{Custom: scripted.Record(), Stream: model},
		Storage: rondo.StorageOptions{InMemory: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(routes(app))
	t.Cleanup(server.Close)
	return &client{t, server.URL}, dir
}

// People in several chats, and several people in one chat, each get the answer to their own prompt.
func TestEachPromptHasItsAnswer(t *testing.T) {
	c, _ := start(t)
	var people sync.WaitGroup
	for range 4 {
		chat := c.open()
		for i := range 5 {
			people.Go(func() {
				text := fmt.Sprintf("prompt %d in %s", i, chat)
				if got := c.prompt(chat, text); got != "echo "+text {
					t.Errorf("the answer to %q is %q", text, got)
				}
			})
		}
	}
	people.Wait()
}

// A call of a tool waits until a person has decided.
func TestCallsAreApproved(t *testing.T) {
	c, dir := start(t)
	chat := c.open()
	for _, allow := range []bool{true, false} {
		file := fmt.Sprintf("allowed-%v.txt", allow)
		answered := make(chan string)
		go func() { answered <- c.prompt(chat, "write "+file) }()
		var waiting []approval
		for len(waiting) == 0 {
			c.do("GET", chat+"/approvals", nil, &waiting)
		}
		if waiting[0].Tool != "write" || !strings.Contains(string(waiting[0].Arguments), file) {
			t.Errorf("waiting is %+v", waiting[0])
		}
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			t.Error("the file was written before a person has decided")
		}
		if code := c.do("POST", chat+"/approvals/"+waiting[0].ID, map[string]bool{"allow": allow}, nil); code != http.StatusOK {
			t.Errorf("the decision is answered with %d", code)
		}
		if got := <-answered; got != "done" {
			t.Errorf("the answer is %q", got)
		}
		if _, err := os.Stat(filepath.Join(dir, file)); (err == nil) != allow {
			t.Errorf("allowed: %v, file: %v", allow, err)
		}
	}
	if code := c.do("POST", chat+"/approvals/none", map[string]bool{"allow": true}, nil); code != http.StatusNotFound {
		t.Errorf("a decision about nothing is answered with %d", code)
	}
}
