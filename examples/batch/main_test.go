package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
)

const prompts = "one\n\ntwo\nthree\n"

// batch runs the command in folders of its own, with a model whose answers cost half a dollar.
type batch struct {
	home, dir, sessions string
	asked               []string
	fail                error // of the next request
}

func (b *batch) model(ctx context.Context, req *ai.Request) *ai.Stream {
	text := req.Context.Messages[len(req.Context.Messages)-1].(*ai.UserMessage).Content.Text()
	b.asked = append(b.asked, text)
	if err := b.fail; err != nil {
		b.fail = nil
		return scripted.New(scripted.Fail(err)).Stream(ctx, req)
	}
	reply := scripted.Say("answer to " + text)
	reply.Usage = &ai.Usage{Input: 100, Output: 100, TotalTokens: 200}
	return scripted.New(reply).Stream(ctx, req)
}

func (b *batch) run(t *testing.T, dollars float64) (string, error) {
	t.Helper()
	priced := *scripted.Record()
	priced.Cost.Input, priced.Cost.Output = 2500, 2500 // for a million tokens
	app, err := rondo.New(t.Context(), &rondo.Options{
		Home: b.home, Dir: b.dir, Storage: rondo.StorageOptions{Dir: b.sessions},
		Models: rondo.ModelOptions{Custom: &priced, Stream: b.model},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = errors.Join(run(t.Context(), app, dollars, strings.NewReader(prompts), &out), app.Close(t.Context()))
	return out.String(), err
}

func newBatch(t *testing.T) *batch {
	return &batch{home: t.TempDir(), dir: t.TempDir(), sessions: t.TempDir()}
}

// The budget ends a batch in order, and a larger one goes on where it has ended: nothing is asked
// twice.
func TestABudgetEndsTheBatchAndALargerOneGoesOn(t *testing.T) {
	b := newBatch(t)
	out, err := b.run(t, 0.9)
	if !errors.Is(err, errSpent) || strings.Count(out, "\n") != 2 {
		t.Errorf("with 0.9 dollars: %v\n%s", err, out)
	}
	out, err = b.run(t, 5)
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"answer":"answer to one","cost":0.5`, `"answer":"answer to two","cost":0.5`, `"answer":"answer to three","cost":0.5`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
	if got := strings.Join(b.asked, " "); got != "one two three" {
		t.Errorf("the model was asked %q", got)
	}
}

// A prompt that has failed is asked again, and the others are not.
func TestWhatHasFailedIsAskedAgain(t *testing.T) {
	b := newBatch(t)
	b.fail = &ai.StatusError{Status: 400, Message: "no"}
	out, err := b.run(t, 5)
	if err != nil || !strings.Contains(out, `"error":`) || strings.Count(out, "\n") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = b.run(t, 5)
	if err != nil || strings.Contains(out, `"error":`) {
		t.Errorf("%v\n%s", err, out)
	}
	if got := strings.Join(b.asked, " "); got != "one two three one" {
		t.Errorf("the model was asked %q", got)
	}
}
