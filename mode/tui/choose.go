package tui

import (
	"context"

	"github.com/rondo-agent/rondo/internal/term/text"
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

// Choose asks a person, also before the terminal runs: then the question is all that it
// shows. It returns the index of the answer, and false if the person leaves without one. An
// error is that of the terminal, or the cause of ctx's end.
func (t *Terminal) Choose(ctx context.Context, q *Question) (answer int, ok bool, err error) {
	answers := make(chan int, 1)
	l := &list{title: text.OneLine(q.Title), plain: !q.Search}
	for _, line := range q.Lines {
		l.lines = append(l.lines, text.Clean(line))
	}
	for i, o := range q.Options {
		l.items = append(l.items, item{label: text.OneLine(o.Label), detail: text.OneLine(o.Detail), value: i})
	}
	l.chosen = func(_ *app, it item) { answers <- it.value.(int) }
	l.dropped = func(*app) { answers <- -1 }
	if over, runs := t.ended(func(a *app) { a.push(l) }); runs {
		select {
		case answer = <-answers:
		case <-over:
			return 0, false, nil
		case <-ctx.Done():
			t.later(func(a *app) { a.pop(l) })
			return 0, false, context.Cause(ctx)
		}
		return max(answer, 0), answer >= 0, nil
	}
	a := t.newApp(ctx)
	a.alone = true
	if err := t.run(ctx, a, func() { a.push(l) }); err != nil {
		return 0, false, err
	}
	answer = <-answers
	return max(answer, 0), answer >= 0, nil
}

// ChooseSession asks which of the sessions to go on with, before the terminal runs.
func (t *Terminal) ChooseSession(ctx context.Context, sessions []SessionInfo) (path string, ok bool, err error) {
	q := &Question{Title: "Session to go on with", Search: true}
	for _, it := range sessionItems(sessions, "") {
		q.Options = append(q.Options, Option{it.label, it.detail})
	}
	answer, ok, err := t.Choose(ctx, q)
	if err != nil || !ok {
		return "", false, err
	}
	return sessions[answer].Path, true, nil
}
