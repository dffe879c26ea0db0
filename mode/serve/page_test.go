package serve_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
)

// enter opens the page by a link, as a person does.
func enter(t *testing.T, p *place) (*person, *tab) {
	t.Helper()
	who := newPerson(t)
	tab := who.open(p.server.Link(p.addr))
	tab.wait("document.getElementById('app') && !document.getElementById('app').hidden")
	return who, tab
}

func TestPage_Streams(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "gate", At: 3}}, Blocks: scripted.Say("A **bold** word and `code` to the end.").Blocks}})
	_, tab := enter(t, p)
	if at := tab.text("location.href"); strings.Contains(at, "code") || strings.Contains(at, token) {
		t.Errorf("the address still has what let the browser in: %s", at)
	}
	tab.say("Say something.")
	tab.shows("Say something.")
	tab.wait("document.querySelector('.streams strong, .streams .md')")
	tab.wait("!document.getElementById('stop').hidden")
	p.model.Release("gate")
	tab.shows("to the end.")
	tab.wait("document.querySelector('.answer strong')?.textContent === 'bold' && document.querySelector('.answer code')?.textContent === 'code'")
	tab.wait("document.getElementById('stop').hidden")
	tab.quiet()
}

func TestPage_ReloadInMidAnswer(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "gate", At: 20}}, Blocks: scripted.Say(long(40)).Blocks}})
	_, tab := enter(t, p)
	tab.say("Count.")
	tab.shows("w15")
	tab.reload()
	tab.shows("w15")
	p.model.Release("gate")
	tab.shows("w39")
	whole(t, tab)
}

// whole checks that the answer of 40 words stands on the page once.
func whole(t *testing.T, tab *tab) {
	t.Helper()
	tab.wait("!document.querySelector('.streams')")
	if got := tab.text("[...document.querySelectorAll('.answer .md')].map((e) => e.textContent).join('|')"); strings.TrimSpace(got) != strings.TrimSpace(long(40)) {
		t.Errorf("the page shows %q", got)
	}
}

func TestPage_DroppedConnection(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "one", At: 10}, {Name: "two", At: 30}}, Blocks: scripted.Say(long(40)).Blocks}})
	_, tab := enter(t, p)
	tab.say("Count.")
	tab.shows("w8")
	offline := func(off bool) {
		tab.call("Network.emulateNetworkConditions", map[string]any{"offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}, nil)
	}
	offline(true)
	tab.wait("document.getElementById('link').textContent !== ''")
	p.model.Release("one") // this happens while the page is away
	offline(false)
	tab.wait("document.getElementById('link').textContent === ''")
	tab.shows("w28")
	p.model.Release("two")
	tab.shows("w39")
	whole(t, tab)
}

func TestPage_TwoTabs(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "gate", At: 5}}, Blocks: scripted.Say(long(40)).Blocks}, scripted.Say("From the second tab.")})
	who, one := enter(t, p)
	one.say("Count.")
	one.shows("w3")
	two := who.open(one.text("location.href"))
	two.shows("w3")
	p.model.Release("gate")
	for _, tab := range []*tab{one, two} {
		tab.shows("w39")
		whole(t, tab)
	}
	two.say("And you?")
	one.shows("And you?")
	one.shows("From the second tab.")
}

func TestPage_Abort(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "never", At: 5}}, Blocks: scripted.Say(long(40)).Blocks}})
	_, tab := enter(t, p)
	tab.say("Count.")
	tab.shows("w3")
	tab.key("Escape", 0)
	tab.shows("Aborted")
	tab.shows("w3")
	tab.wait("document.getElementById('stop').hidden")
}

func TestPage_Queue(t *testing.T) {
	p := newPlace(t, []scripted.Reply{{Gates: []scripted.Gate{{Name: "gate", At: 2}}, Blocks: scripted.Say(long(9)).Blocks}, scripted.Say("Steered.")})
	_, tab := enter(t, p)
	tab.say("Count.")
	tab.shows("w1")
	tab.say("Rather not.")
	tab.wait("document.getElementById('queue').innerText.includes('Rather not.')")
	tab.eval("document.querySelector('#queue button').click()", nil)
	tab.wait("document.getElementById('text').value === 'Rather not.' && document.getElementById('queue').hidden")
	tab.key("Enter", 0)
	tab.wait("document.getElementById('queue').innerText.includes('Rather not.')")
	p.model.Release("gate")
	tab.shows("Steered.")
	tab.wait("document.getElementById('queue').hidden")
}

func TestPage_ToolsAndDiffs(t *testing.T) {
	p := newPlace(t, []scripted.Reply{
		scripted.Of(scripted.Call("w", "write", map[string]any{"path": "notes.txt", "content": "milk\nbread\n"})),
		scripted.Of(scripted.Call("e", "edit", map[string]any{"path": "notes.txt", "edits": []any{map[string]any{"oldText": "bread", "newText": "honey"}}})),
		scripted.Of(scripted.Call("b", "bash", map[string]any{"command": "printf '\\033[31mred\\033[0m <img src=x onerror=alert(1)>'; exit 3"})),
		scripted.Say("Done: <script>alert(1)</script> [x](javascript:alert(1))"),
	})
	_, tab := enter(t, p)
	tab.say("Change the notes.")
	tab.shows("Done:")
	tab.wait("document.querySelector('[data-call=e] .diff .d')?.textContent.includes('bread') && document.querySelector('[data-call=e] .diff .i')?.textContent.includes('honey')")
	tab.wait("document.querySelector('[data-call=b]').dataset.state === 'failed'")
	if got := tab.text("document.querySelector('[data-call=b] .body').textContent"); !strings.Contains(got, "red <img src=x onerror=alert(1)>") {
		t.Errorf("the output is shown as %q", got)
	}
	if n := tab.text("document.querySelectorAll('#log script, #log img, #log a').length"); n != "0" {
		t.Errorf("%s elements were made of what a model or a tool has said", n)
	}
	tab.reload()
	tab.wait("document.querySelector('[data-call=e] .diff .i')?.textContent.includes('honey')")
	tab.quiet()
}

func TestPage_Dialog(t *testing.T) {
	p := newPlace(t, nil)
	who, one := enter(t, p)
	one.key("n", 1)
	one.wait("location.hash.length > 10")
	ui := <-p.ui
	two := who.open(one.text("location.href"))
	two.wait("document.getElementById('link').textContent === '' && document.getElementById('text')")
	answers := make(chan string, 1)
	go func() {
		choice, _ := ui.Select(context.Background(), "Which colour?", []string{"red", "blue"}, 0)
		answers <- choice
	}()
	for _, tab := range []*tab{one, two} {
		tab.wait("document.getElementById('dialog').open && document.getElementById('dialog').innerText.includes('Which colour?')")
	}
	one.key("ArrowDown", 0)
	one.key("Enter", 0)
	if got := within(t, answers); got != "blue" {
		t.Errorf("the answer is %q", got)
	}
	two.wait("!document.getElementById('dialog').open")
	go func() {
		text, _ := ui.Input(context.Background(), "Your name?", "", 0)
		answers <- text
	}()
	two.reload() // a dialog that waits is there after a reload
	two.wait("document.getElementById('dialog').open && document.activeElement.name === 'value'")
	two.typed("Ada")
	two.key("Enter", 0)
	if got := within(t, answers); got != "Ada" {
		t.Errorf("the answer is %q", got)
	}
	yes := make(chan bool, 1)
	go func() { yes <- ui.Confirm(context.Background(), "Sure?", "It cannot be undone.", 0) }()
	one.wait("document.getElementById('dialog').open && document.getElementById('dialog').innerText.includes('Sure?')")
	one.key("Escape", 0)
	if within(t, yes) {
		t.Error("Escape has confirmed a dialog")
	}
}

func TestPage_WrongToken(t *testing.T) {
	p := newPlace(t, nil)
	who := newPerson(t)
	tab := who.open(p.url + "/")
	tab.wait("!document.getElementById('sign-in').hidden")
	tab.wait("document.activeElement.id === 'token'")
	tab.typed("not-the-token-at-all")
	tab.key("Enter", 0)
	tab.wait("document.querySelector('#sign-in .error').textContent.includes('wrong')")
	if tab.text("document.getElementById('app').hidden") != "true" {
		t.Error("the page is shown to somebody with a wrong token")
	}
	tab.eval("document.getElementById('token').value = ''", nil)
	tab.typed(token)
	tab.key("Enter", 0)
	tab.wait("!document.getElementById('app').hidden")
	if cookie := tab.text("document.cookie"); cookie != "" {
		t.Errorf("scripts can read the cookie: %s", cookie)
	}
	// a link works once
	link := p.server.Link(p.addr)
	newPerson(t).open(link).wait("document.getElementById('app') && !document.getElementById('app').hidden")
	newPerson(t).open(link).wait("document.body.innerText.includes('has been used')")
}

// TestPage_ServerComesBack: the page waits for a server that has ended, and goes on.
func TestPage_ServerComesBack(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("Before.")})
	_, tab := enter(t, p)
	tab.say("Hello?")
	tab.shows("Before.")
	p.stop()
	tab.wait("document.getElementById('link').textContent !== ''")
	tab.eval("document.getElementById('text').focus()", nil)
	tab.typed("Are you there?")
	tab.key("Enter", 0) // it is sent when the server is back
	next := newPlace(t, []scripted.Reply{scripted.Say("After.")}, func(o *serve.Options, so *session.Options) {
		o.Dir, o.CWD, so.CWD = p.dir(), p.cwd, p.cwd
	}, listenAt(p.addr))
	tab.shows("After.")
	tab.wait("document.getElementById('link').textContent === ''")
	if n := tab.text("document.querySelectorAll('.user').length"); n != "2" || next.model.Calls() != 1 {
		t.Errorf("%s messages are shown, and the model was asked %d times", n, next.model.Calls())
	}
}

// within returns what comes, which must be soon.
func within[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("there is no answer")
		panic("unreachable")
	}
}
