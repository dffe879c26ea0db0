package docs_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

func TestJSONBlocks_Parse(t *testing.T) {
	for _, page := range pages(t, "*.md") {
		for _, b := range page.blocks {
			if b.lang != "json" {
				continue
			}
			if all, err := values(b.text); err != nil || len(all) == 0 {
				t.Errorf("%s: %d values, %v", b.at, len(all), err)
			}
			if b.is("script") {
				if _, err := scripted.ParseScript([]byte(b.text)); err != nil {
					t.Errorf("%s: %v", b.at, err)
				}
			}
		}
	}
}

// client drives a rondo in RPC mode.
type client struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  *bufio.Reader
	events []jsontext.Value
}

func (p *place) rpc(t *testing.T, args ...string) *client {
	t.Helper()
	cmd := p.command("rondo", append([]string{"--mode", "rpc", "--model", "scripted"}, args...)...)
	cmd.Env = append(cmd.Env, "OPENAI_API_KEY=for-example")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	return &client{t: t, cmd: cmd, in: in, lines: bufio.NewReader(out)}
}

// head is what all lines have.
type head struct {
	Type    string         `json:"type"`
	Success bool           `json:"success"`
	Rest    jsontext.Value `json:",embed"`
}

// next reads a line; the type is empty at the end.
func (c *client) next() (head, jsontext.Value) {
	c.t.Helper()
	line, err := c.lines.ReadBytes('\n')
	if err == io.EOF && len(line) == 0 {
		return head{}, nil
	}
	var h head
	if err != nil || json.Unmarshal(line, &h) != nil {
		c.t.Fatalf("the line %q: %v", line, err)
	}
	if h.Type != "response" {
		c.events = append(c.events, line)
	}
	return h, line
}

// send sends a line and returns its response. After a prompt it waits until the session
// has settled.
func (c *client) send(line string) jsontext.Value {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.TrimSpace(line)+"\n"); err != nil {
		c.t.Fatal(err)
	}
	for {
		h, response := c.next()
		switch {
		case h.Type == "":
			c.t.Fatalf("the output ended before the response to %s", line)
		case h.Type != "response":
			continue
		case h.Success && strings.Contains(line, `"type":"prompt"`):
			c.until("agent_settled")
		}
		return response
	}
}

func (c *client) until(event string) {
	c.t.Helper()
	for {
		h, _ := c.next()
		if h.Type == event {
			return
		}
		if h.Type == "" {
			c.t.Fatalf("the output ended before %s", event)
		}
	}
}

// close ends the program, which must go well.
func (c *client) close() {
	c.t.Helper()
	c.in.Close()
	for h, _ := c.next(); h.Type != ""; h, _ = c.next() {
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("rondo --mode rpc: %v", err)
	}
}

func TestRPCBlocks_AreAnsweredAsShown(t *testing.T) {
	for _, page := range pages(t, "*.md") {
		for i, b := range page.blocks {
			if !b.is("response") {
				continue
			}
			t.Run(b.at, func(t *testing.T) {
				t.Parallel()
				lines := []string{"nonsense"}
				if !b.is("invalid") {
					if i == 0 || !page.blocks[i-1].is("rpc") {
						t.Fatal("there are no commands before these responses")
					}
					lines = strings.Split(strings.TrimSpace(page.blocks[i-1].text), "\n")
				}
				checkResponses(t, lines, b)
			})
		}
		for i, b := range page.blocks {
			if b.is("rpc") && (i+1 == len(page.blocks) || !page.blocks[i+1].is("response")) {
				t.Errorf("%s: the responses are not shown", b.at)
			}
		}
	}
}

// named are members of responses that commands refer to.
var named = regexp.MustCompile(`"(entryId|sessionFile)":("(?:[^"\\]|\\.)*")`)

// filled puts what responses have named in the place of … in a command.
func filled(t *testing.T, line string, before []jsontext.Value) string {
	t.Helper()
	newest := map[string]string{}
	for _, m := range named.FindAllStringSubmatch(list(before), -1) {
		newest[m[1]] = m[2]
	}
	for member, source := range map[string]string{"entryId": "entryId", "sessionPath": "sessionFile"} {
		gap := `"` + member + `":"` + anything + `"`
		if !strings.Contains(line, gap) {
			continue
		}
		if newest[source] == "" {
			t.Fatalf("no response before %s has named one", line)
		}
		line = strings.ReplaceAll(line, gap, `"`+member+`":`+newest[source])
	}
	return line
}

func checkResponses(t *testing.T, commands []string, b *block) {
	t.Helper()
	c := newPlace(t).rpc(t)
	var got []jsontext.Value
	for _, line := range commands {
		got = append(got, c.send(filled(t, line, got)))
	}
	c.close()
	want, err := values(b.text)
	if err != nil || len(want) != len(got) {
		t.Fatalf("%d responses are shown, %v; there are\n%s", len(want), err, list(got))
	}
	for i := range want {
		if !matchesJSON(plain(t, want[i]), plain(t, got[i])) {
			t.Errorf("%s: shown is\n%s\nbut the answer to %s is\n%s", b.at, want[i], commands[i], got[i])
		}
	}
}

// eventScript lets a run have every kind of event of package agent.
const eventScript = `{"replies": [
	{"thinking": ["I need ", "the file."], "text": ["I read ", "it."], "tools": [{"id": "call_1", "name": "read", "args": {"path": "notes.txt"}}]},
	{"tools": [{"id": "call_2", "name": "bash", "args": {"command": "echo building; sleep 1; exit 3"}}]},
	"It says: buy milk.",
	{"text": "I am", "error": {"status": 529, "message": "overloaded"}}
]}`

// recordedEvents are the events of a session in which everything happens that the page
// about events shows.
func recordedEvents(t *testing.T) []jsontext.Value {
	t.Helper()
	where := newPlace(t)
	for name, text := range map[string]string{"script.json": eventScript, "notes.txt": "buy milk\n"} {
		if err := os.WriteFile(filepath.Join(where.work, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := where.rpc(t, "--script", "script.json")
	for _, line := range []string{
		`{"type":"prompt","message":"What do my notes say?"}`,
		`{"type":"prompt","message":"again"}`,
		`{"type":"bash","id":"b1","command":"echo hi"}`,
		`{"type":"set_model","provider":"openai","modelId":"gpt-5.5"}`,
		`{"type":"set_thinking_level","level":"low"}`,
		`{"type":"follow_up","message":"And then?"}`,
		`{"type":"set_session_name","name":"Notes"}`,
	} {
		c.send(line)
	}
	c.close()
	name := &transcript.InfoEntry{Name: "Notes"}
	name.Rebase("72063176", "36db3f02")
	name.Timestamp = transcript.Now()
	return append(c.events, (&event.EntryAppended{Entry: name}).AppendJSON(nil))
}

func TestEventBlocks_AreEventsOfARun(t *testing.T) {
	t.Parallel()
	recorded := recordedEvents(t)
	for _, page := range pages(t, "*.md") {
		for _, b := range page.blocks {
			if !b.is("event") {
				continue
			}
			shown, err := values(b.text)
			if err != nil {
				t.Fatalf("%s: %v", b.at, err)
			}
			for _, want := range shown {
				checkEvent(t, b.at, want, recorded)
			}
		}
	}
}

func checkEvent(t *testing.T, at string, want jsontext.Value, recorded []jsontext.Value) {
	t.Helper()
	var sameType []jsontext.Value
	var h, other head
	if err := json.Unmarshal(want, &h); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	for _, got := range recorded {
		if matchesJSON(plain(t, want), plain(t, got)) {
			return
		}
		if json.Unmarshal(got, &other) == nil && other.Type == h.Type {
			sameType = append(sameType, got)
		}
	}
	t.Errorf("%s: no event of the run is like\n%s\nthose of this type are\n%s", at, want, list(sameType))
}
