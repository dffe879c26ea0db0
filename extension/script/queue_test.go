package script_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// desk is a person who looks at what is asked, and answers once all has been asked.
type desk struct {
	person
	many    int
	mu      sync.Mutex
	asked   []string
	answers chan struct{}
}

func (d *desk) ask(ctx context.Context, what string) {
	d.mu.Lock()
	d.asked = append(d.asked, what)
	if len(d.asked) == d.many {
		close(d.answers)
	}
	d.mu.Unlock()
	extension.WaitForAnswer(ctx, d.answers, 0, nil)
}

func (d *desk) Select(ctx context.Context, title string, _ []string, _ time.Duration) (string, bool) {
	d.ask(ctx, title)
	return title, true
}

func (d *desk) Input(ctx context.Context, title, _ string, _ time.Duration) (string, bool) {
	d.ask(ctx, title)
	return title, true
}

func (d *desk) Custom(ctx context.Context, factory extension.CustomFactory, _ *extension.CustomOptions) (any, bool) {
	if _, err := factory(noScreen{}, extension.PlainTheme{}, nil, func(any) {}); err != nil {
		return nil, false
	}
	d.ask(ctx, "custom")
	return 0, true
}

type noScreen struct{ extension.Screen }

// Dialogs that an extension begins without waiting come in the order in which it has begun
// them, and a component that takes its time to be made holds up none.
func TestDialogsComeInOrder(t *testing.T) {
	everywhere(t, func(t *testing.T, settings script.Settings) {
		const all = 60
		d := &desk{many: all + 2, answers: make(chan struct{})}
		s := newStage(t, settings, `export default (pi) => { pi.on("agent_start", async (e, ctx) => {
			const ui = ctx.ui, dialogs = [];
			let made;
			dialogs.push(ui.custom(() => new Promise((yes) => { made = () => yes({ render: () => [] }); })));
			for (let i = 0; i < `+fmt.Sprint(all)+`; i += 2) dialogs.push(ui.select("" + i, ["a"]), ui.input("" + (i + 1)));
			dialogs.push(ui.custom(() => ({ render: () => [] })));
			while (!made) await new Promise((yes) => setTimeout(yes, 1));
			made();
			const answers = await Promise.all(dialogs);
			ui.notify(answers.length + " " + answers.slice(1, -1).every((a, i) => a === "" + i));
		}); }`)
		s.SetUI(d, extension.ModeTUI)
		s.Emit(t.Context(), &extension.AgentStart{})
		if got := d.person.all(); got != fmt.Sprint(all+2, " true") || s.failures() != "" {
			t.Fatal(got, s.failures())
		}
		at := 0
		for _, what := range d.asked {
			if what != "custom" {
				if what != fmt.Sprint(at) {
					t.Fatalf("asked %q", d.asked)
				}
				at++
			}
		}
		if d.asked[len(d.asked)-1] != "custom" {
			t.Errorf("asked %q", d.asked)
		}
	})
}
