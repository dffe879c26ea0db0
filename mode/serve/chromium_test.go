package serve_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// needBrowser is the variable that makes a missing browser a failure.
const needBrowser = "RONDO_TEST_CHROMIUM"

// browser is a Chromium that is driven over pipes, by its own protocol
// (chromedevtools.github.io/devtools-protocol).
type browser struct {
	cmd   *exec.Cmd
	dir   string
	in    io.WriteCloser
	ended chan struct{}

	mu      sync.Mutex
	last    int
	answers map[int]chan reply
	logs    map[string][]string // what pages have complained about, by session
}

type reply struct {
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

var (
	shared     *browser
	browserErr error
	startOnce  sync.Once
)

// chromium returns the browser of all tests, which is started for the first.
func chromium(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("the page is not tested in short mode")
	}
	startOnce.Do(func() { shared, browserErr = startBrowser() })
	if browserErr != nil {
		if os.Getenv(needBrowser) != "" {
			t.Fatal(browserErr)
		}
		t.Skipf("the page is not tested: %v", browserErr)
	}
	return shared
}

func startBrowser() (*browser, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("pipes to the browser are those of Unix")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errors.New("there is no Chromium; install the package chromium")
	}
	dir, err := os.MkdirTemp("", "rondo-chromium")
	if err != nil {
		return nil, err
	}
	toChild, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, fromChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b := &browser{dir: dir, in: in, ended: make(chan struct{}), answers: make(map[int]chan reply), logs: make(map[string][]string)}
	b.cmd = exec.Command(path, "--remote-debugging-pipe", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--window-size=1280,800", "--user-data-dir="+dir, "about:blank")
	b.cmd.ExtraFiles = []*os.File{toChild, fromChild}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	toChild.Close()
	fromChild.Close()
	go func() {
		defer close(b.ended)
		b.read(out)
		out.Close()
	}()
	return b, nil
}

// closeBrowser ends the browser, if there is one.
func closeBrowser() {
	if shared == nil {
		return
	}
	_ = shared.call("", "Browser.close", nil, nil)
	timer := time.AfterFunc(5*time.Second, func() { shared.cmd.Process.Kill() })
	_ = shared.cmd.Wait()
	timer.Stop()
	shared.in.Close()
	<-shared.ended
	os.RemoveAll(shared.dir)
}

// read takes the browser's messages, which end with a zero byte.
func (b *browser) read(out io.Reader) {
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		data, err := lines.ReadBytes(0)
		if err != nil {
			break
		}
		var m struct {
			reply
			ID      int            `json:"id"`
			Method  string         `json:"method"`
			Session string         `json:"sessionId"`
			Params  jsontext.Value `json:"params"`
		}
		if json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m, jsontext.AllowInvalidUTF8(true)) != nil {
			continue
		}
		b.mu.Lock()
		switch {
		case m.ID != 0 && b.answers[m.ID] != nil:
			b.answers[m.ID] <- m.reply
			delete(b.answers, m.ID)
		case m.Method == "Runtime.exceptionThrown", m.Method == "Log.entryAdded" && bytes.Contains(m.Params, []byte(`"level":"error"`)):
			b.logs[m.Session] = append(b.logs[m.Session], string(m.Params))
		}
		b.mu.Unlock()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, answer := range b.answers {
		close(answer)
		delete(b.answers, id)
	}
}

// call sends a command and waits for its answer.
func (b *browser) call(session, method string, params any, into any) error {
	if params == nil {
		params = struct{}{}
	}
	b.mu.Lock()
	b.last++
	id, answer := b.last, make(chan reply, 1)
	b.answers[id] = answer
	data, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Session string `json:"sessionId,omitzero"`
		Params  any    `json:"params"`
	}{id, method, session, params})
	if err == nil {
		_, err = b.in.Write(append(data, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case r, ok := <-answer:
		switch {
		case !ok:
			return errors.New("the browser has ended")
		case r.Error != nil:
			return fmt.Errorf("%s: %s", method, r.Error.Message)
		case into != nil:
			return json.Unmarshal(r.Result, into)
		}
		return nil
	case <-time.After(30 * time.Second):
		return fmt.Errorf("%s: no answer", method)
	}
}

// person is one profile of the browser, with its own cookies.
type person struct {
	t *testing.T
	b *browser
	// context of the profile
	id string
}

// newPerson makes a profile that ends with the test.
func newPerson(t *testing.T) *person {
	t.Helper()
	p := &person{t: t, b: chromium(t)}
	var made struct {
		ID string `json:"browserContextId"`
	}
	if err := p.b.call("", "Target.createBrowserContext", nil, &made); err != nil {
		t.Fatal(err)
	}
	p.id = made.ID
	t.Cleanup(func() {
		_ = p.b.call("", "Target.disposeBrowserContext", map[string]string{"browserContextId": p.id}, nil)
	})
	return p
}

// tab is a page of a person's.
type tab struct {
	t       *testing.T
	b       *browser
	session string
	target  string
}

// open opens a page in a new tab.
func (p *person) open(url string) *tab {
	p.t.Helper()
	tab := &tab{t: p.t, b: p.b}
	var made struct {
		ID string `json:"targetId"`
	}
	if err := p.b.call("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": p.id, "newWindow": true}, &made); err != nil {
		p.t.Fatal(err)
	}
	var attached struct {
		ID string `json:"sessionId"`
	}
	if err := p.b.call("", "Target.attachToTarget", map[string]any{"targetId": made.ID, "flatten": true}, &attached); err != nil {
		p.t.Fatal(err)
	}
	tab.session, tab.target = attached.ID, made.ID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		tab.call(domain+".enable", nil, nil)
	}
	tab.call("Emulation.setFocusEmulationEnabled", map[string]bool{"enabled": true}, nil) // several pages have the focus
	tab.navigate(url)
	return tab
}

func (tab *tab) call(method string, params, into any) {
	tab.t.Helper()
	if err := tab.b.call(tab.session, method, params, into); err != nil {
		tab.t.Fatal(err)
	}
}

func (tab *tab) navigate(url string) {
	tab.t.Helper()
	tab.call("Page.navigate", map[string]string{"url": url}, nil)
}

func (tab *tab) reload() {
	tab.t.Helper()
	tab.call("Page.reload", nil, nil)
}

// eval evaluates an expression and decodes what it comes to.
func (tab *tab) eval(expression string, into any) error {
	var out struct {
		Result struct {
			Value jsontext.Value `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := tab.b.call(tab.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &out)
	switch {
	case err != nil:
		return err
	case out.Exception != nil:
		return fmt.Errorf("%s: %s %s", expression, out.Exception.Text, out.Exception.Exception.Description)
	case into == nil || len(out.Result.Value) == 0:
		return nil
	}
	return json.Unmarshal(out.Result.Value, into)
}

// text returns what an expression comes to as text; what fails is empty, since a page may be
// on its way.
func (tab *tab) text(expression string) string {
	var text string
	if err := tab.eval("String("+expression+")", &text); err != nil {
		return ""
	}
	return text
}

// wait waits until an expression is true.
func (tab *tab) wait(expression string) {
	tab.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(15 * time.Millisecond) {
		if tab.text("Boolean("+expression+")") == "true" {
			return
		}
	}
	tab.shoot(os.TempDir() + "/rondo-page-failed.png")
	tab.b.mu.Lock()
	defer tab.b.mu.Unlock()
	tab.t.Fatalf("%s does not come true; the page says %q, and has complained: %s", expression, tab.textUnlocked(), strings.Join(tab.b.logs[tab.session], "\n"))
}

// textUnlocked is the text of the page, for a message; the browser's mutex is held.
func (tab *tab) textUnlocked() string {
	tab.b.mu.Unlock()
	defer tab.b.mu.Lock()
	return tab.text("document.body.innerText")
}

// shows waits until the conversation has a text.
func (tab *tab) shows(text string) {
	tab.t.Helper()
	quoted, _ := json.Marshal(text)
	tab.wait(fmt.Sprintf("document.getElementById('log').innerText.includes(%s)", quoted))
}

// typed writes a text where the focus is.
func (tab *tab) typed(text string) {
	tab.t.Helper()
	tab.call("Input.insertText", map[string]string{"text": text}, nil)
}

// key presses a key.
func (tab *tab) key(name string, modifiers int) {
	tab.t.Helper()
	codes := map[string]int{"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Tab": 9, "n": 78, "k": 75}
	params := map[string]any{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": codes[name], "modifiers": modifiers}
	if len(name) == 1 {
		params["code"] = "Key" + strings.ToUpper(name)
	}
	if name == "Enter" && modifiers&1 == 0 {
		params["text"] = "\r"
	}
	tab.call("Page.bringToFront", nil, nil)
	tab.call("Input.dispatchKeyEvent", params, nil)
	params["type"] = "keyUp"
	delete(params, "text")
	tab.call("Input.dispatchKeyEvent", params, nil)
}

// say sends a message as a person does.
func (tab *tab) say(text string) {
	tab.t.Helper()
	tab.wait("!document.getElementById('app').hidden")
	if err := tab.eval("document.getElementById('text').focus()", nil); err != nil {
		tab.t.Fatal(err)
	}
	tab.typed(text)
	tab.key("Enter", 0)
}

// shoot writes a picture of the page.
func (tab *tab) shoot(path string) {
	tab.t.Helper()
	var out struct {
		Data string `json:"data"`
	}
	tab.call("Page.captureScreenshot", map[string]any{"format": "png"}, &out)
	data, err := base64.StdEncoding.DecodeString(out.Data)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		tab.t.Fatal(err)
	}
}

// quiet fails the test if the page has complained, but for what is expected.
func (tab *tab) quiet(expected ...string) {
	tab.t.Helper()
	tab.b.mu.Lock()
	defer tab.b.mu.Unlock()
next:
	for _, line := range tab.b.logs[tab.session] {
		for _, e := range expected {
			if strings.Contains(line, e) {
				continue next
			}
		}
		tab.t.Errorf("the page complained: %s", line)
	}
}
