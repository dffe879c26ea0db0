package tui_test

import (
	"strings"
	"testing"
)

func TestAnotherSessionBeginsWithoutWhatExtensionsHaveShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"First."`, "shower.ts")
		p.write("shower.ts", shower)
		c := p.show(80, 30)
		c.say("/beside")
		c.sees("my footer, statuses fine")
		c.say("/new")
		c.sees("── New session ──")
		for _, gone := range []string{"my footer", "over 1", "under the editor"} {
			c.loses(gone)
		}
		c.sees("0.0%/128k")
		c.leave()
	})
}

// shower is an extension that changes what the terminal shows around the conversation.
const shower = `
export default function (pi) {
  const command = (name, handler) => pi.registerCommand(name, { description: name, handler });
  command("beside", async (_a, ctx) => {
    let n = 0;
    ctx.ui.setWidget("over", (tui, theme) => { setTimeout(() => { n = 1; tui.requestRender(); }, 50); return { render: (w) => [theme.fg("accent", "over " + n + " of " + w)], invalidate() {} }; });
    ctx.ui.setWidget("under", ["under the editor"], { placement: "belowEditor" });
    ctx.ui.setFooter((_tui, _theme, data) => ({ render: () => ["my footer, statuses " + [...data.getExtensionStatuses().values()].join()], invalidate() {} }));
    ctx.ui.setStatus("s", "fine");
    ctx.ui.setHeader(() => ({ render: () => ["my header"], invalidate() {} }));
    ctx.ui.setTitle("my title");
  });
  command("usual", async (_a, ctx) => {
    ctx.ui.setWidget("over", undefined);
    ctx.ui.setWidget("under", undefined);
    ctx.ui.setFooter(undefined);
    ctx.ui.setHeader(undefined);
    ctx.ui.setStatus("s", undefined);
  });
  command("work", async (_a, ctx) => {
    ctx.ui.setWorkingMessage("thinking it over");
    ctx.ui.setWorkingIndicator({ frames: ["<*>"], intervalMs: 50 });
    ctx.ui.setHiddenThinkingLabel("deep thought");
    ctx.ui.notify("changed");
  });
  command("calm", async (_a, ctx) => { ctx.ui.setWorkingVisible(false); ctx.ui.setHiddenThinkingLabel(); ctx.ui.notify("calm"); });
  command("write", async (_a, ctx) => {
    ctx.ui.setEditorText("one ");
    ctx.ui.pasteToEditor("two");
    const said = [ctx.ui.getEditorText()];
    ctx.ui.pasteToEditor("\nthree".repeat(20));
    said.push(ctx.ui.getEditorText().length);
    ctx.ui.pasteToEditor("lost");
    ctx.ui.setEditorText("one ");
    ctx.ui.pasteToEditor("two");
    ctx.ui.notify("it says <" + [...said, ctx.ui.getEditorText()].join("|") + ">");
  });
  command("colours", async (_a, ctx) => {
    const named = ctx.ui.getTheme(ctx.ui.theme.name), wrong = ctx.ui.setTheme("no such theme");
    ctx.ui.notify([ctx.ui.getAllThemes().length > 0, named !== undefined, ctx.ui.getTheme("no such theme") === undefined,
      ctx.ui.setTheme(ctx.ui.theme).success, wrong.success, wrong.error].join(" "));
  });
  command("fold", async (_a, ctx) => {
    const was = ctx.ui.getToolsExpanded();
    ctx.ui.setToolsExpanded(!was);
    ctx.ui.notify("expanded " + was + " then " + ctx.ui.getToolsExpanded());
  });
  pi.registerCommand("paint", { description: "has arguments", getArgumentCompletions: (prefix) => ["red", "green"].filter((c) => c.startsWith(prefix)).map((c) => ({ value: c, label: c, description: "a colour" })),
    handler: async (args, ctx) => ctx.ui.notify("painted " + args) });
}
`

func TestExtensionsChangeWhatStandsAround(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "shower.ts")
		p.write("shower.ts", shower)
		c := p.show(70, 24)
		c.say("/beside")
		c.sees("over 1 of 70")
		c.sees("my header")
		rule := strings.Repeat("─", 70)
		c.shows("over 1 of 70", rule, "", rule, "under the editor", "my footer, statuses fine")
		c.frame("around")
		c.until("the title", func() bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			return strings.Contains(c.raw.String(), "\x1b]0;my title\a")
		})
		c.say("/usual")
		c.loses("my footer")
		c.shows(rule, "", rule, "…", "0.0%/128k…")
		for _, gone := range []string{"over 1", "under the editor", "fine"} {
			c.loses(gone)
		}
		c.leave()
	})
}

func TestExtensionsChangeWhatIsShownOfWork(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `{"text": "First.", "delayMs": 600}, {"thinking": "first thoughts\nmore", "text": "Second."}`, "shower.ts")
		p.write("shower.ts", shower)
		c := p.show(70, 24)
		c.say("/work")
		c.sees("changed")
		c.say("go")
		c.sees("<*> thinking it over")
		c.sees("First.")
		c.say("again")
		c.sees("∴ deep thought first thoughts")
		c.sees("Second.")
		c.say("/calm")
		c.sees("· calm")
		c.types(ctrlO) // what is final is drawn again
		c.sees("∴ Thinking: first thoughts")
		c.leave()
	})
}

func TestExtensionsReadAndWriteTheEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"hi"`, "shower.ts")
		p.write("shower.ts", shower)
		c := p.show(70, 24)
		c.say("/write")
		c.sees("it says <one two|127|one two>")
		c.types(ctrlC)
		c.say("/fold")
		c.sees("expanded false then true")
		c.say("/colours")
		c.sees("true true true true false")
		c.types("/paint g")
		c.sees("→ green")
		c.types(tab)
		c.sees("/paint green")
		c.types(enter)
		c.sees("painted green")
		c.leave()
	})
}

// drawer is an extension that draws its entries and messages, and changes texts.
const drawer = `
import { Text } from "@earendil-works/pi-tui";
export default function (pi) {
  pi.registerEntryRenderer("card", (entry, { expanded }, theme) => new Text(theme.fg("accent", "CARD ") + entry.data.title + (expanded ? " in full" : ""), 0, 0));
  pi.registerEntryRenderer("broken", () => { throw new Error("cannot draw"); });
  pi.registerCommand("card", { description: "adds an entry", handler: async (title) => pi.appendEntry("card", { title }) });
  pi.registerCommand("broken", { description: "adds one that cannot be drawn", handler: async () => pi.appendEntry("broken", {}) });
  pi.registerMarkdownTransformer((markdown, about) => markdown.replaceAll("-->", "→ " + about.messageType));
  pi.registerMarkdownTransformer((markdown) => { if (markdown.includes("bad")) throw new Error("no"); return markdown.replaceAll("→", "⇒"); });
}
`

func TestExtensionsDrawEntriesAndChangeTexts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := prepare(t, `"Go --> there.\n\nThen --> **here**.", "Last."`, "drawer.ts")
		p.write("drawer.ts", drawer)
		c := p.show(70, 24)
		c.say("/card of mine")
		c.sees("CARD of mine")
		c.say("where --> to")
		c.sees("❯ where ⇒ user to")
		c.shows("Go ⇒ assistant there.", "", "Then ⇒ assistant here.")
		c.types(ctrlO)
		c.sees("Go ⇒ assistant there.")
		if strings.Contains(c.text(), "-->") {
			t.Errorf("a text is shown as it was:\n%s", c.text())
		}
		c.say("/card new")
		c.sees("CARD new in full") // results are shown in full now
		c.frame("drawn")
		c.say("/broken")
		c.sees("cannot draw")
		c.leave()

		c.close()

		q := prepare(t, `"x"`)
		q.opts, q.id = p.opts, c.runtime.Session().ID()
		d := q.show(70, 24)
		d.sees("CARD new")
		all := d.history()
		order := []string{"CARD of mine", "❯ where ⇒ user to", "Then ⇒ assistant here.", "CARD new"}
		for i, at := 0, 0; i < len(order); i++ {
			found := strings.Index(all[at:], order[i])
			if found < 0 {
				t.Fatalf("%q is not in its place when the session goes on:\n%s", order[i], all)
			}
			at += found
		}
		d.leave()
	})
}
