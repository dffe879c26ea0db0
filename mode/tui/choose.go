package tui

import (
	"context"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/command"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
)

// Question is something to choose from.
type Question struct {
	Title string
	// Lines stand below the title.
	Lines   []string
	Options []Option
	// Search offers a search among the options.
	Search bool
}

// Option is one of the answers.
type Option struct{ Label, Detail string }

// Choose asks a user, also before the terminal runs: then the question is all that it
// shows. It returns the index of the answer, and false if the user leaves without one. An
// error is that of the terminal, or the cause of ctx's end.
func (t *Terminal) Choose(ctx context.Context, q *Question) (answer int, ok bool, err error) {
	answers := make(chan int, 1)
	l := &dialog.List{Title: text.OneLine(q.Title), Plain: !q.Search}
	for _, line := range q.Lines {
		l.Lines = append(l.Lines, text.Clean(line))
	}
	for i, o := range q.Options {
		l.Items = append(l.Items, dialog.Item{Label: text.OneLine(o.Label), Detail: text.OneLine(o.Detail), Value: i})
	}
	l.Chosen = func(it dialog.Item) { answers <- it.Value.(int) }
	l.Dropped = func() { answers <- -1 }
	if ended, runs := t.later(func(a *app) { a.Open(l) }); runs {
		select {
		case answer = <-answers:
		case <-ended:
			return 0, false, nil
		case <-ctx.Done():
			t.later(func(a *app) { a.Close(l) })
			return 0, false, context.Cause(ctx)
		}
		return max(answer, 0), answer >= 0, nil
	}
	a := t.newApp(ctx, nil)
	if err := t.run(ctx, a, func() { a.Open(l) }); err != nil {
		return 0, false, err
	}
	answer = <-answers
	return max(answer, 0), answer >= 0, nil
}

// ChooseSession asks which of the sessions to go on with, before the terminal runs.
func (t *Terminal) ChooseSession(ctx context.Context, sessions []SessionInfo) (path string, ok bool, err error) {
	q := &Question{Title: "Session to go on with", Search: true}
	for _, it := range command.SessionItems(sessions, "") {
		q.Options = append(q.Options, Option{it.Label, it.Detail})
	}
	answer, ok, err := t.Choose(ctx, q)
	if err != nil || !ok {
		return "", false, err
	}
	return sessions[answer].Path, true, nil
}
