package serve_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
)

// TestPage_Pictures makes the pictures of docs/, where RONDO_PICTURES names a folder for them.
func TestPage_Pictures(t *testing.T) {
	dir := os.Getenv("RONDO_PICTURES")
	if dir == "" {
		t.Skip("RONDO_PICTURES names no folder")
	}
	p := newPlace(t, []scripted.Reply{
		scripted.Of(scripted.Thinking("The greeting is in greet.go, and the test beside it expects another one."), scripted.Text("I look at the greeting first."), scripted.Call("r", "read", map[string]any{"path": "greet.go"})),
		scripted.Of(scripted.Text("The name is never used. I change that, and run the tests."),
			scripted.Call("e", "edit", map[string]any{"path": "greet.go", "edits": []any{map[string]any{"oldText": "\treturn \"Hello!\"\n", "newText": "\tif name == \"\" {\n\t\tname = \"you\"\n\t}\n\treturn \"Hello, \" + name + \"!\"\n"}}}),
			scripted.Call("b", "bash", map[string]any{"command": "go version | cut -d' ' -f1-2; echo 'ok   example/greet   0.004s'"})),
		scripted.Of(scripted.Text("Done: `Greet` uses the name now.\n\n1. Without a name it greets **you**.\n2. The tests pass.\n\n| call | result |\n| --- | --- |\n| `Greet(\"Ada\")` | Hello, Ada! |\n| `Greet(\"\")` | Hello, you! |\n")),
		{Gates: []scripted.Gate{{Name: "never", At: 9}}, Blocks: scripted.Say("Of course. A benchmark of such a small function says little, but here it is:\n\n```go\nfunc BenchmarkGreet(b *testing.B) {\n\tfor b.Loop() {\n\t\tGreet(\"Ada\")\n\t}\n}\n```\n").Blocks},
	}, func(o *serve.Options, so *session.Options) {
		o.CWD = filepath.Join(o.CWD, "greet")
		if err := os.Mkdir(o.CWD, 0o700); err != nil {
			t.Fatal(err)
		}
		so.CWD, so.Toolbox = o.CWD, tools.Builtin(o.CWD, nil)
		so.Tools = tools.Tools(so.Toolbox)
	})
	if err := os.WriteFile(filepath.Join(p.opts.CWD, "greet.go"), []byte("package greet\n\n// Greet says hello to somebody.\nfunc Greet(name string) string {\n\treturn \"Hello!\"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, tab := enter(t, p)
	dark := func(on string) {
		tab.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": on}}}, nil)
	}
	both := func(name string) {
		for _, scheme := range []string{"light", "dark"} {
			dark(scheme)
			tab.eval("new Promise((d) => setTimeout(d, 300))", nil)
			tab.shoot(filepath.Join(dir, name+"-"+scheme+".png"))
		}
	}
	both("empty")
	tab.say("Greet says hello to nobody. Fix it, please.")
	tab.shows("The tests pass.")
	tab.wait("document.getElementById('stop').hidden")
	tab.eval("document.getElementById('name').value = 'Greetings'; document.getElementById('name').dispatchEvent(new Event('change'))", nil)
	for _, name := range []string{"Explain the project", "Why is the build slow?", "Release notes"} {
		s := p.newSession()
		p.do("POST", s+"/set_session_name", `{"name":"`+name+`"}`)
	}
	tab.eval("document.querySelector('#search').dispatchEvent(new Event('input'))", nil)
	tab.wait("document.querySelectorAll('#sessions li').length === 4")
	both("tools")
	tab.say("Add a benchmark.")
	tab.shows("such a small")
	tab.say("And explain the result.")
	tab.wait("!document.getElementById('queue').hidden")
	both("streaming")
	ui := <-p.ui
	go ui.Select(context.Background(), "Run the benchmark for how long?", []string{"One second", "Ten seconds", "Not at all"}, 0)
	tab.wait("document.getElementById('dialog').open")
	both("dialog")
	tab.key("Escape", 0)
	tab.key("Escape", 0)
	tab.shows("Aborted")
	p.model.Append(scripted.Fail(&ai.StatusError{Status: 401, Message: "the key is not valid"}))
	tab.say("Again?")
	tab.shows("not valid")
	both("error")
	tab.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 780, "deviceScaleFactor": 2, "mobile": true}, nil)
	both("phone")
	tab.eval("document.getElementById('open-side').click()", nil)
	both("phone-side")
	tab.call("Emulation.clearDeviceMetricsOverride", nil, nil)
	tab.eval("document.getElementById('sign-out').click()", nil)
	tab.wait("!document.getElementById('sign-in').hidden")
	both("sign-in")
	tab.quiet("401")
}
