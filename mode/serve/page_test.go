package serve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

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
	case <-time.After(time.Minute):
		t.Fatal("there is no answer")
		panic("unreachable")
	}
}

// TestPage_Keyboard: sessions are made, found and chosen without a mouse.
func TestPage_Keyboard(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("One."), scripted.Say("Two.")})
	_, tab := enter(t, p)
	tab.say("First question.")
	tab.shows("One.")
	first := tab.text("location.hash")
	tab.key("n", 1)
	tab.wait("location.hash !== '" + first + "'")
	tab.say("Second question.")
	tab.shows("Two.")
	tab.wait("document.querySelectorAll('#sessions li').length === 2")
	tab.key("k", 2)
	tab.wait("document.activeElement.id === 'search'")
	tab.typed("first")
	tab.wait("document.querySelectorAll('#sessions li').length === 1")
	tab.key("ArrowDown", 0)
	tab.key("Enter", 0)
	tab.shows("One.")
	if at := tab.text("location.hash"); at != first {
		t.Errorf("the address is %s, want %s", at, first)
	}
	tab.wait("document.activeElement.id === 'text'")
	tab.say("!echo from the shell")
	tab.shows("from the shell")
	tab.wait("document.querySelector('.shell .card').dataset.state === 'done'")
	tab.say("!exit 3")
	tab.wait("document.querySelectorAll('.shell .card[data-state=failed]').length === 1")
	tab.reload()
	tab.wait("document.querySelectorAll('.shell .card').length === 2")
	tab.quiet()
}

// TestPage_HiddenLetsGo: a page that is not shown gives its connection back, since a browser has
// few of them, and has lost nothing when it is shown again.
func TestPage_HiddenLetsGo(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("One."), scripted.Say("Two.")})
	_, tab := enter(t, p)
	tab.say("First.")
	tab.shows("One.")
	s := "/api/sessions/" + strings.TrimPrefix(tab.text("location.hash"), "#")
	hide := func(hidden string) {
		// the time until it lets go is shortened: the page's own is 15 seconds
		tab.eval(`Object.defineProperty(document, 'hidden', {value: `+hidden+`, configurable: true});
			window.realTimeout ??= window.setTimeout;
			window.setTimeout = (fn, ms, ...rest) => ms !== 15000 ? window.realTimeout(fn, ms, ...rest) : window.realTimeout(() => { fn(); window.letGo = true; }, 1);
			document.dispatchEvent(new Event('visibilitychange'))`, nil)
	}
	hide("true")
	tab.wait("window.letGo")
	p.stream(p.request("POST", s+"/prompt?stream=1", `{"message":"Second."}`)).until("agent_settled")
	time.Sleep(100 * time.Millisecond)
	if text := tab.text("document.getElementById('log').textContent"); strings.Contains(text, "Two.") {
		t.Error("a hidden page still has its connection")
	}
	hide("false")
	tab.shows("Two.")
}

// TestPage_LongAnswer: what is drawn does not grow with the square of the answer.
func TestPage_LongAnswer(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "Paragraph %d with some **words** in it.\n\n", i)
	}
	p := newPlace(t, []scripted.Reply{scripted.Say(text.String() + "```go\n" + strings.Repeat("x := 1\n", 3000) + "```\n\nThe end.")})
	_, tab := enter(t, p)
	tab.say("Say much.")
	tab.wait("document.querySelector('.answer .md')?.textContent.includes('The end.')")
	tab.wait("document.querySelectorAll('.answer .md > p').length === 2001 && document.querySelectorAll('.answer .md strong').length === 2000")
	tab.wait("document.querySelectorAll('.answer .md figure.code').length === 1 && document.querySelector('.answer figure code').textContent.split('\\n').length === 3000")
	tab.quiet()
}

// TestPage_Markdown: what models write, and what they should not be able to.
func TestPage_Markdown(t *testing.T) {
	p := newPlace(t, nil)
	_, tab := enter(t, p)
	for text, want := range map[string]string{
		"a *b* __c__ `d*e*` ~~f~~":         "<p>a <em>b</em> <strong>c</strong> <code>d*e*</code> <del>f</del></p>",
		"# One\ntext":                      "<h2>One</h2><p>text</p>",
		"- a\n- b\n  - c\n\npara":          "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><p>para</p>",
		"3. a\n4. b":                       "<ol start=\"3\"><li>a</li><li>b</li></ol>",
		"> q\n> r":                         "<blockquote><p>q\nr</p></blockquote>",
		"snake_case_name and 2*3*4":        "<p>snake_case_name and 2<em>3</em>4</p>",
		"[x](https://a.b/c) <https://d.e>": `<p><a href="https://a.b/c" target="_blank" rel="noopener noreferrer">x</a> <a href="https://d.e" target="_blank" rel="noopener noreferrer">https://d.e</a></p>`,
		"[x](javascript:alert(1))":         "<p>[x](javascript:alert(1))</p>",
		"<img src=x onerror=alert(1)>":     "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
		"![x](https://a.b/c.png)":          `<p>!<a href="https://a.b/c.png" target="_blank" rel="noopener noreferrer">x</a></p>`,
		"a\n\n---\n\nb":                    "<p>a</p><hr><p>b</p>",
		"- [x] done\n- [ ] not":            `<ul><li><input type="checkbox" disabled="" checked=""> done</li><li><input type="checkbox" disabled=""> not</li></ul>`,
	} {
		quoted, _ := json.Marshal(text)
		var got string
		if err := tab.eval(fmt.Sprintf("import('/page/markdown.js').then((m) => m.markdown(%s).innerHTML)", quoted), &got); err != nil || got != want {
			t.Errorf("%q becomes\n%s, want\n%s (%v)", text, got, want, err)
		}
		// however it comes in pieces, it becomes the same
		var pieces string
		err := tab.eval(fmt.Sprintf("import('/page/markdown.js').then((m) => { const e = document.createElement('div'), g = new m.Growing(e), t = %s; for (let i = 1; i <= t.length; i++) g.set(t.slice(0, i)); return e.innerHTML })", quoted), &pieces)
		if err != nil || pieces != want {
			t.Errorf("%q in pieces becomes\n%s, want\n%s (%v)", text, pieces, want, err)
		}
	}
}

// TestPage_DirectionIsShown: characters that turn the direction of text are shown, in what a person
// has said, in prose and in code that grows.
func TestPage_DirectionIsShown(t *testing.T) {
	p := newPlace(t, []scripted.Reply{scripted.Say("Pay \u202e001\u202c euros.\n\n```go\nif x\u2066 {\n}\n```\n")})
	_, tab := enter(t, p)
	tab.say("a\u202eb")
	tab.shows("aU+202Eb")
	tab.shows("Pay U+202E001U+202C euros.")
	tab.wait(`document.querySelector('.answer pre code')?.textContent.includes('xU+2066 {') && !/[\u202a-\u202e\u2066-\u2069]/.test(document.getElementById('log').textContent)`)
	tab.quiet()
}
