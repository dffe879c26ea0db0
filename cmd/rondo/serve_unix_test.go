//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// doorman is an extension that asks before a tool runs, and has a command.
const doorman = `
export default function (pi) {
  pi.on("session_start", (_e, ctx) => ctx.ui.setStatus("mood", "fine"));
  pi.on("tool_call", async (event, ctx) => {
    const ok = await ctx.ui.confirm("Run it?", event.input.command);
    return ok ? undefined : { block: true, reason: "the person says no" };
  });
  pi.registerFlag("polite", { type: "boolean", description: "says who greets" });
  pi.registerFlag("host-name", { type: "string", description: "who greets" });
  pi.registerCommand("greet", { description: "greets", handler: async (args, ctx) =>
    ctx.ui.notify("hi " + args + (pi.getFlag("polite") ? ", says " + pi.getFlag("host-name") + " " + pi.getFlag("polite") : ""), "info") });
}
`

// web is a client of a rondo that serves.
type web struct {
	*running
	url, token string
}

// chosenToken is that of the server.
const chosenToken = "chosen-by-the-test"

// launchServer starts rondo serve with a script.
func launchServer(t *testing.T, replies string, args ...string) *web {
	t.Helper()
	w := &web{running: &running{t: t, dir: t.TempDir()}}
	w.write("script.json", `{"replies": [`+replies+`]}`)
	w.write("ask.ts", doorman)
	w.cmd = exec.Command("env", append([]string{"RONDO_SERVE_TOKEN=" + chosenToken, "rondo", "serve", "--port", "0", "--script", "script.json"}, args...)...)
	w.start()
	var head strings.Builder
	for lines := bufio.NewReader(w.stdout); w.token == ""; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server said %q and %q", head.String(), w.stderr.String())
		}
		head.WriteString(line)
		if m := regexp.MustCompile(`programs +(http://[^/]+)`).FindStringSubmatch(line); m != nil {
			w.url = m[1]
		}
		if strings.Contains(line, "that of RONDO_SERVE_TOKEN") {
			w.token = chosenToken
		}
	}
	if strings.Contains(head.String(), chosenToken) {
		t.Errorf("the token is printed: %s", head.String())
	}
	return w
}

func (w *web) send(method, path, body string) string {
	w.t.Helper()
	res := w.open(method, path, body)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		w.t.Fatalf("%s %s: %s %s %v", method, path, res.Status, data, err)
	}
	return string(data)
}

func (w *web) open(method, path, body string) *http.Response {
	w.t.Helper()
	req, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

// newSession makes a session and returns its path.
func (w *web) newSession() string {
	w.t.Helper()
	made := w.send("POST", "/api/sessions", "{}")
	_, rest, _ := strings.Cut(made, `"sessionId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return "/api/sessions/" + id
}

// end sends SIGTERM, which must end the program in order.
func (w *web) end() {
	w.t.Helper()
	http.DefaultClient.CloseIdleConnections()
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		w.t.Fatal(err)
	}
	timer := time.AfterFunc(20*time.Second, func() { w.cmd.Process.Kill() })
	defer timer.Stop()
	if _ = w.cmd.Wait(); w.cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		w.t.Errorf("the server ended with %v: %s", w.cmd.ProcessState, w.stderr.String())
	}
}

// until reads lines of a stream up to one that has a text.
func until(t *testing.T, lines *bufio.Reader, text string) string {
	t.Helper()
	var all strings.Builder
	for {
		line, err := lines.ReadString('\n')
		all.WriteString(line)
		if strings.Contains(line, text) {
			return line
		}
		if err != nil {
			t.Fatalf("the stream ended before %q: %s", text, all.String())
		}
	}
}

// TestServe_ExtensionAsks: what an extension asks reaches whoever follows the session, and the
// answer decides.
func TestServe_ExtensionAsks(t *testing.T) {
	call := `{"tools": [{"name": "bash", "args": {"command": "echo ran"}}]}`
	w := launchServer(t, call+`, "It ran.", `+call+`, "It did not."`, "-e", "ask.ts")
	s := w.newSession()
	res := w.open("GET", s+"/events", "")
	defer res.Body.Close()
	events := bufio.NewReader(res.Body)
	until(t, events, `"snapshot"`)
	for answer, want := range map[string]string{`{"confirmed":true}`: `ran\n`, `{"confirmed":false}`: "the person says no"} {
		w.send("POST", s+"/prompt", `{"message":"go"}`)
		request := until(t, events, `"method":"confirm"`)
		if !strings.Contains(request, "echo ran") {
			t.Errorf("the request is %s", request)
		}
		_, rest, _ := strings.Cut(request, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		w.send("POST", s+"/dialogs/"+id, answer)
		if end := until(t, events, `"tool_execution_end"`); !strings.Contains(end, want) {
			t.Errorf("after %s the call ends with %s", answer, end)
		}
		until(t, events, "agent_settled")
	}
	if got := w.send("POST", s+"/prompt", `{"message":"/greet Ada"}`); !strings.Contains(got, `"handled"`) {
		t.Errorf("a command of the extension is %s", got)
	}
	until(t, events, "hi Ada")
	if snap := w.send("POST", s+"/prompt?stream=1", `{"message":"/greet Bob"}`); !strings.Contains(snap, "agent_settled") {
		t.Errorf("the stream of a command is %s", snap)
	}
	w.end()
}

// TestServe_KeepsItsToken: neither commands nor the program's own words have the token that was
// chosen, and the session is there after the server has started again.
func TestServe_KeepsItsToken(t *testing.T) {
	w := launchServer(t, `"Hello."`)
	s := w.newSession()
	w.send("POST", s+"/prompt?stream=1", `{"message":"hi"}`)
	if got := w.send("POST", s+"/bash", `{"command":"env"}`); strings.Contains(got, w.token) || strings.Contains(got, "RONDO_SERVE_TOKEN") {
		t.Errorf("a command sees the token: %s", got)
	}
	w.end()
	if bytes.Contains(w.stderr.Bytes(), []byte(w.token)) {
		t.Errorf("the token is in what was logged: %s", w.stderr.String())
	}
}

// TestServe_Refusals: what is wrong is told before anything is served.
func TestServe_Refusals(t *testing.T) {
	for want, args := range map[string][]string{
		"choose a token for that":        {"--host", "0.0.0.0"},
		"takes no messages":              {"hello"},
		"unknown flag: --plan":           {"--plan", "it"},
		"unknown flag":                   {"--continue"},
		"choose another one with --port": {"--port", "70000"},
		"contradict each other":          {"--approve", "--no-approve"},
		"read the script":                {"--script", "none.json"},
	} {
		cmd := exec.Command("rondo", append([]string{"serve"}, args...)...)
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"HOME=" + cmd.Dir}
		timer := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		out, _ := cmd.CombinedOutput()
		timer.Stop()
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), want) {
			t.Errorf("rondo serve %q: exit code %d, %s", args, cmd.ProcessState.ExitCode(), out)
		}
	}
}

// TestServe_FlagsOfExtensions: they are taken as rondo itself takes them, and count for every
// session.
func TestServe_FlagsOfExtensions(t *testing.T) {
	w := launchServer(t, `"hi"`, "-e", "ask.ts", "--polite", "--host-name", "Eve")
	for range 2 {
		s := w.newSession()
		res := w.open("GET", s+"/events", "")
		events := bufio.NewReader(res.Body)
		until(t, events, `"snapshot"`)
		w.send("POST", s+"/prompt", `{"message":"/greet Ada"}`)
		until(t, events, "hi Ada, says Eve true")
		res.Body.Close()
	}
	w.end()
}
