package extui

import (
	"context"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
)

// asking asks the user. Questions at the same time lie one over the other, the newest on top.
type asking struct{ on *stage }

// ask shows what build makes and waits for its answer, which nil stands for a user who
// declines: as does the end of the time, of ctx or of the terminal.
func (u *asking) ask(ctx context.Context, timeout time.Duration, build func(answer func(any)) dialog.Timed) any {
	answers := make(chan any, 2)
	d := build(func(v any) {
		select {
		case answers <- v:
		default: // it has been answered
		}
	})
	if timeout > 0 {
		d.Limit(time.Now().Add(timeout))
	}
	ended, ok := u.on.loop.Later(func(m Model) { m.Dialogs().Push(d) })
	if !ok {
		return nil
	}
	answer, end := extension.WaitForAnswer(ctx, answers, timeout, ended)
	if end != extension.DialogAnswered {
		u.on.later(func(m Model) { m.Dialogs().Remove(d) })
	}
	return answer
}

// Select implements [extension.UI].
func (u *asking) Select(ctx context.Context, title string, options []string, timeout time.Duration) (string, bool) {
	choice, ok := u.ask(ctx, timeout, func(answer func(any)) dialog.Timed {
		l := dialog.Ask(title, answer)
		for _, o := range options {
			l.Items = append(l.Items, dialog.Item{Label: text.OneLine(o), Value: o})
		}
		l.Plain = len(options) <= dialog.Rows
		return l
	}).(string)
	return choice, ok
}

// Confirm implements [extension.UI].
func (u *asking) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	yes, _ := u.ask(ctx, timeout, func(answer func(any)) dialog.Timed {
		l := dialog.Ask(title+"\n"+message, answer)
		l.Items = []dialog.Item{{Label: "Yes", Value: true}, {Label: "No", Value: false}}
		return l
	}).(bool)
	return yes
}

// Input implements [extension.UI].
func (u *asking) Input(ctx context.Context, title, placeholder string, timeout time.Duration) (string, bool) {
	s, ok := u.ask(ctx, timeout, func(answer func(any)) dialog.Timed {
		p := dialog.NewPrompt(text.OneLine(title), "", func(s string) { answer(s) })
		p.Placeholder, p.Dropped = text.OneLine(placeholder), func() { answer(nil) }
		return p
	}).(string)
	return s, ok
}

// Editor implements [extension.UI].
func (u *asking) Editor(ctx context.Context, title, prefill string) (string, bool) {
	s, ok := u.ask(ctx, 0, func(answer func(any)) dialog.Timed {
		p := dialog.NewPrompt(text.OneLine(title), prefill, func(s string) { answer(s) })
		p.Multi, p.Dropped = true, func() { answer(nil) }
		return p
	}).(string)
	return s, ok
}
