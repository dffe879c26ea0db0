package script_test

import (
	"testing"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// Extensions spread ctx, take functions out of it and of ctx.ui, wrap it and add to copies.
func TestContextIsAPlainObject(t *testing.T) {
	everywhere(t, func(t *testing.T, settings script.Settings) {
		s := newStage(t, settings, `
export default function (pi) {
  const { on, events } = pi, all = { ...pi };
  on("agent_start", (e, ctx) => {
    const { notify } = ctx.ui, { mode } = ctx, copy = { ...ctx, cwd: "elsewhere" }, wrapped = new Proxy(ctx, {});
    notify(mode);
    copy.ui.notify(copy.cwd + " " + copy.mode + " " + copy.isIdle());
    wrapped.ui.notify(wrapped.mode + " " + Object.create(ctx).mode);
    notify([Object.keys(ctx).includes("sessionManager"), "abort" in ctx, "x" in ctx, ctx.x, typeof copy.modelRegistry.getAll, all.events === events, ctx.ui === ctx.ui].join(" "));
    delete ctx.abort;
    ctx.note = "kept";
    try { ctx.mode = "mine"; } catch (e) { notify(e.name); }
    notify([ctx.abort, ctx.note, ctx.mode].join(" "));
  });
}`)
		s.Emit(t.Context(), &extension.AgentStart{})
		want := "rpc|elsewhere rpc true|rpc rpc|true true false  function true true|TypeError| kept rpc"
		if got := s.all(); got != want || s.failures() != "" {
			t.Errorf("heard %s\nwant  %s\n%s", got, want, s.failures())
		}
	})
}
