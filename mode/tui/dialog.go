package tui

import (
	"context"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
)

// ask shows what build makes and waits for its answer, which nil stands for a person who
// declines: as does the end of the time, of ctx or of the terminal.
func (u *UI) ask(ctx context.Context, timeout time.Duration, build func(answer func(any)) modal) any {
	answers := make(chan any, 2)
	m := build(func(v any) {
		select {
		case answers <- v:
		default: // it has been answered
		}
	})
	if timeout > 0 {
		if l, ok := m.(interface{ limit(time.Time) }); ok {
			l.limit(time.Now().Add(timeout))
		}
	}
	ended, ok := u.t.ended(func(a *app) { a.push(m) })
	if !ok {
		return nil
	}
	answer, end := extension.WaitForAnswer(ctx, answers, timeout, ended)
	if end != extension.DialogAnswered {
		u.t.later(func(a *app) { a.pop(m) })
	}
	return answer
}

// deadline is when a question ends by itself; zero for never.
type deadline struct{ time.Time }

// title adds the seconds that are left.
func (d deadline) title(s string) string {
	if d.IsZero() {
		return s
	}
	return s + " (" + itoa(max(int(time.Until(d.Time).Seconds()+0.999), 0)) + "s)"
}

func (l *list) limit(t time.Time)   { l.until = deadline{t} }
func (p *prompt) limit(t time.Time) { p.until = deadline{t} }

// ends reports whether a question is shown that ends by itself.
func (a *app) ends() bool {
	switch m := a.modal().(type) {
	case *list:
		return !m.until.IsZero()
	case *prompt:
		return !m.until.IsZero()
	}
	return false
}

// Select implements [extension.UI].
func (u *UI) Select(ctx context.Context, title string, options []string, timeout time.Duration) (string, bool) {
	choice, ok := u.ask(ctx, timeout, func(answer func(any)) modal {
		l := question(title, answer)
		for _, o := range options {
			l.items = append(l.items, item{label: text.OneLine(o), value: o})
		}
		l.plain = len(options) <= listRows
		return l
	}).(string)
	return choice, ok
}

// question makes a list; what stands below the first line of the title is text.
func question(title string, answer func(any)) *list {
	l := &list{plain: true, chosen: func(_ *app, it item) { answer(it.value) }, dropped: func(*app) { answer(nil) }}
	l.title, l.lines = titleAndLines(title)
	return l
}

// Confirm implements [extension.UI].
func (u *UI) Confirm(ctx context.Context, title, message string, timeout time.Duration) bool {
	yes, _ := u.ask(ctx, timeout, func(answer func(any)) modal {
		l := question(title+"\n"+message, answer)
		l.items = []item{{label: "Yes", value: true}, {label: "No", value: false}}
		return l
	}).(bool)
	return yes
}

// Input implements [extension.UI].
func (u *UI) Input(ctx context.Context, title, placeholder string, timeout time.Duration) (string, bool) {
	s, ok := u.ask(ctx, timeout, func(answer func(any)) modal {
		p := newPrompt(text.OneLine(title), "", func(_ *app, s string) { answer(s) })
		p.placeholder, p.dropped = text.OneLine(placeholder), func(*app) { answer(nil) }
		return p
	}).(string)
	return s, ok
}

// Editor implements [extension.UI].
func (u *UI) Editor(ctx context.Context, title, prefill string) (string, bool) {
	s, ok := u.ask(ctx, 0, func(answer func(any)) modal {
		p := newPrompt(text.OneLine(title), prefill, func(_ *app, s string) { answer(s) })
		p.multi, p.dropped = true, func(*app) { answer(nil) }
		return p
	}).(string)
	return s, ok
}

// titleAndLines divides a title: only its first line is one.
func titleAndLines(s string) (title string, lines []string) {
	for i, l := range strings.Split(text.Clean(s), "\n") {
		switch l = strings.TrimRight(l, " "); {
		case i == 0:
			title = l
		case l != "" || len(lines) > 0:
			lines = append(lines, l)
		}
	}
	return title, lines
}
