package script_test

import (
	"testing"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// wall is a person who sees widgets, and the screen.
type wall struct {
	extension.NoUI
	extension.Screen
	widget extension.Component
}

func (w *wall) RequestRender(bool) {}

func (w *wall) SetWidget(_ string, widget *extension.Widget) {
	w.widget = widget.Component(w, w.Theme())
}

// A component that throws when it is drawn is reported once, until it can be drawn again: a report
// is shown, which draws everything again.
func TestLaw_X2_AComponentThatCannotBeDrawn(t *testing.T) {
	s := newStage(t, script.Settings{}, `
export default (pi) => {
  let broken = true;
  pi.on("turn_start", () => { broken = !broken; });
  pi.on("session_start", (e, ctx) => {
    ctx.ui.setWidget("w", () => ({ render() { if (broken) throw new Error("boom"); return ["fine"]; }, invalidate() {} }));
  });
};`)
	screen := &wall{}
	s.SetUI(screen, extension.ModeTUI)
	s.Emit(t.Context(), &extension.SessionStart{Reason: extension.ReasonStartup})
	if screen.widget == nil {
		t.Fatalf("there is no widget: %s", s.failures())
	}
	for range 3 {
		screen.widget.Render(80)
	}
	if got := s.failures(); got != "a.ts component.render: boom" {
		t.Errorf("%q", got)
	}
	s.Emit(t.Context(), &extension.TurnStart{})
	if lines := screen.widget.Render(80); len(lines) != 1 || lines[0] != "fine" {
		t.Errorf("%q", lines)
	}
	s.Emit(t.Context(), &extension.TurnStart{})
	screen.widget.Render(80)
	if got := s.failures(); got != "a.ts component.render: boom|a.ts component.render: boom" {
		t.Errorf("%q", got)
	}
}
