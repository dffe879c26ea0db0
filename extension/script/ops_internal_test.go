package script

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
)

// harmless are the operations that touch nothing but their arguments, the machine and the
// session: rooms that end in a dot, and single ones. What is not here must ask the policy.
var harmless = strings.Fields(`
	ai.models ai.overflow ai.recoverable ai.retryable bytes. clock. code. crypto. image. keys. picture. markdown. schema. text. theme. time. url. yaml. zlib.
	fs.close fs.fchmod fs.fstat fs.fsync fs.ftruncate fs.futimes fs.read fs.write http.body http.close http.cut http.hijack http.write
	module.builtins net.attach net.rest net.send os.about process.about process.cwd process.exit process.feed process.follow process.memory process.setenv
	process.size process.write program.about tools.describe
	pi.abort pi.append pi.appendEntry pi.bashData pi.compact pi.cwd pi.emit pi.entries pi.findModel pi.fork pi.fresh pi.getActiveTools
	pi.getAllTools pi.getCommands pi.getContextUsage pi.getFlag pi.getSessionName pi.getSystemPrompt pi.getSystemPromptOptions
	pi.getThinkingLevel pi.hasAuth pi.hasPendingMessages pi.hasUI pi.header pi.isIdle pi.isProjectTrusted pi.label pi.lazy pi.leaf pi.live
	pi.login. pi.mode pi.model pi.models pi.navigateTree pi.newSession pi.on pi.registerCommand pi.registerEntryRenderer pi.registerFlag
	pi.registerMarkdownTransformer pi.registerMessageRenderer pi.registerShortcut pi.registerTool pi.reload pi.run pi.runEnd pi.scopedModels
	pi.sendMessage pi.sendUserMessage pi.sendUserMessageAccepted pi.session pi.setActiveTools pi.setLabel pi.setSessionName
	pi.setThinkingLevel pi.shutdown pi.streamEvent pi.subscribe pi.toolUpdate pi.tree pi.unregisterProvider pi.wait pi.written
	pi.ui.addAutocompleteProvider pi.ui.again pi.ui.applyCompletion pi.ui.confirm pi.ui.custom pi.ui.done pi.ui.editor pi.ui.editorSays
	pi.ui.footer pi.ui.hasOverlay pi.ui.hideOverlay pi.ui.overlayBounds pi.ui.getEditorText pi.ui.getToolsExpanded pi.ui.input pi.ui.keyMatches pi.ui.keysOf pi.ui.notify pi.ui.offBranch
	pi.ui.offTerminalInput pi.ui.onBranch pi.ui.onTerminalInput pi.ui.overlay pi.ui.paint pi.ui.pasteToEditor pi.ui.requestRender
	pi.ui.select pi.ui.setEditorComponent pi.ui.setEditorText pi.ui.setFocus pi.ui.setFooter pi.ui.setHeader pi.ui.setHiddenThinkingLabel
	pi.ui.setStatus pi.ui.setTheme pi.ui.setTitle pi.ui.setToolsExpanded pi.ui.setWidget pi.ui.setWorkingIndicator pi.ui.setWorkingMessage
	pi.ui.setWorkingVisible pi.ui.showOverlay pi.ui.size pi.ui.start pi.ui.stop pi.ui.themes pi.ui.triggersFiles pi.ui.unready`)

func isHarmless(name string) bool {
	return slices.ContainsFunc(harmless, func(h string) bool {
		return h == name || strings.HasSuffix(h, ".") && strings.HasPrefix(name, h)
	})
}

// reachingCase is an operation that asks the policy: what it is called with, and what it then
// asks for. DIR stands for a folder with the file f.
type reachingCase struct {
	op, arg string
	asks    string // kind and subject of each access, as far as nothing is refused
}

var reachingCases = []reachingCase{
	{"fs.readFile", `{"path": "f"}`, "read DIR/f"},
	{"fs.stat", `{"path": "f"}`, "read DIR/f"},
	{"fs.lstat", `{"path": "DIR/f"}`, "read DIR/f"},
	{"fs.exists", `{"path": "f"}`, "read DIR/f"},
	{"fs.access", `{"path": "f"}`, "read DIR/f"},
	{"fs.readdir", `{"path": "."}`, "read DIR"},
	{"fs.realpath", `{"path": "f"}`, "read DIR/f"},
	{"fs.readlink", `{"path": "l"}`, "read DIR/l"},
	{"fs.watch", `{"path": "f"}`, "read DIR/f"},
	{"fs.writeFile", `{"path": "n", "text": "x"}`, "write DIR/n"},
	{"fs.mkdir", `{"path": "d"}`, "write DIR/d"},
	{"fs.mkdtemp", `{"path": "t-"}`, "write DIR/t-"},
	{"fs.chmod", `{"path": "f", "mode": 384}`, "write DIR/f"},
	{"fs.truncate", `{"path": "f"}`, "write DIR/f"},
	{"fs.utimes", `{"path": "f"}`, "write DIR/f"},
	{"fs.chown", `{"path": "f", "uid": -1, "gid": -1}`, "write DIR/f"},
	{"fs.open", `{"path": "f", "flags": 2}`, "read DIR/f, write DIR/f"},
	{"fs.copyFile", `{"path": "f", "to": "c"}`, "read DIR/f, write DIR/c"},
	{"fs.link", `{"path": "f", "to": "h"}`, "read DIR/f, write DIR/f, write DIR/h"},
	{"fs.symlink", `{"path": "s", "to": "f"}`, "write DIR/s, read DIR/f, write DIR/f"},
	{"fs.rename", `{"path": "f", "to": "g"}`, "write DIR/f, write DIR/g"},
	{"fs.unlink", `{"path": "g"}`, "write DIR/g"},
	{"fs.rmdir", `{"path": "d"}`, "write DIR/d"},
	{"fs.rm", `{"path": "c"}`, "write DIR/c"},
	{"module.prepare", `{"kind": "import", "name": "./m.json", "from": "DIR/x.ts"}`, "read DIR/m.json"},
	{"process.chdir", `{"path": "."}`, "read DIR"},
	{"process.env", `{"name": "RONDO_TEST_SECRET"}`, "env RONDO_TEST_SECRET"},
	{"process.envNames", `null`, ""},
	{"process.run", `{"file": "true"}`, "exec true"},
	{"process.start", `{"file": "./p", "args": ["x"]}`, "exec DIR/p"},
	{"process.kill", `{"pid": 99999999, "signal": "SIGTERM"}`, "exec kill"},
	{"net.fetch", `{"url": "http://127.0.0.1:1/x", "method": "GET"}`, "network 127.0.0.1:1"},
	{"net.connect", `{"host": "127.0.0.1", "port": 1}`, "network 127.0.0.1:1"},
	{"net.listen", `{"host": "127.0.0.1", "port": 1}`, "network 127.0.0.1:1"},
	{"http.listen", `{"path": "s"}`, "network unix:DIR/s"},
	{"dns.lookup", `{"name": "a.test"}`, "network a.test:53"},
	{"dns.text", `{"name": "a.test"}`, "network a.test:53"},
	{"dns.reverse", `{"name": "192.0.2.1"}`, "network 192.0.2.1:53"},
	{"ai.stream", `{"model": {"id": "m", "provider": "p", "baseUrl": "https://models.test/v1"}}`, "network models.test:443"},
	{"tools.bash", `{"command": "true", "cwd": "DIR"}`, "exec bash"},
	{"tools.execute", `{"tool": "read", "cwd": "DIR", "id": "1", "params": {"path": "g2"}}`, "read DIR/g2"},
	{"pi.exec", `{"x": 1, "a": {"command": "true"}}`, "exec true"},
	{"pi.auth", `{"x": 1, "a": {"model": {"id": "m", "provider": "p"}}}`, "env key:p"},
	{"pi.complete", `{"x": 1, "a": {"model": {"id": "m", "provider": "p", "baseUrl": "http://models.test"}, "context": {}}}`, "network models.test:80"},
	{"pi.setModel", `{"x": 1, "a": {"model": {"id": "m", "provider": "p", "baseUrl": "http://models.test"}}}`, "network models.test:80"},
	{"pi.registerProvider", `{"x": 1, "a": {"name": "p", "provider": {"baseUrl": "http://models.test", "apiKey": "$KEY", "models": [{"headers": {"A": "!cat x"}}]}}}`, "network models.test:80, env KEY, exec sh"},
	{"pi.switchSession", `{"x": 1, "a": {"path": "DIR/f"}}`, "read DIR/f"},
	{"pi.ui.suggest", `{"x": 1, "a": {"lines": ["see @/etc/pass"], "line": 0, "col": 14}}`, "read DIR, read /etc"},
}

// TestOperationsAskThePolicy walks the whole table: an operation is one that touches nothing
// outside of the machine, or it asks the policy, and is refused by one that allows nothing.
func TestOperationsAskThePolicy(t *testing.T) {
	t.Setenv("RONDO_TEST_SECRET", "s")
	cases := map[string]reachingCase{}
	for _, c := range reachingCases {
		cases[c.op] = c
	}
	w := newWalk(t)
	for _, name := range slices.Sorted(maps.Keys(w.host.ops())) {
		op := w.host.ops()[name]
		_, known := cases[name]
		switch {
		case op.run == nil:
			t.Errorf("%s does nothing", name)
		case op.reaches == isHarmless(name):
			t.Errorf("%s: say in this test that it touches nothing, or make it one that asks the policy (reaches %v)", name, op.reaches)
		case op.reaches && !known:
			t.Errorf("%s asks the policy: say in this test what for", name)
		}
	}
	for _, c := range reachingCases {
		t.Run(c.op, func(t *testing.T) { w.check(t, c) })
	}
}

// walk is a machine whose policy notes what it is asked for.
type walk struct {
	host  *host
	dir   string
	mu    sync.Mutex
	asked []string
}

func newWalk(t *testing.T) *walk {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "g2", "m.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := &walk{dir: dir}
	policy := &Policy{Extension: "walker", Folder: "/nowhere", Dir: dir, Rules: []Rule{{Read: []string{"*"}, Log: true}}}
	policy.Log = func(d Decision) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, string(d.Kind)+" "+d.Subject)
	}
	w.host = newHost(Settings{Dir: dir, Cache: t.TempDir()}, nil, policy)
	r := extension.NewRunner(&extension.Options{CWD: dir})
	source := extension.Builtin("walker", func(_ context.Context, api *extension.API) error {
		w.host.add(&instance{api: api, x: api.Context()})
		return nil
	})
	for _, err := range r.Load(t.Context(), source) {
		t.Fatal(err)
	}
	r.Bind(&walked{})
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return w
}

// walked is a session that knows no models.
type walked struct{ extension.Session }

func (*walked) Models() extension.Models { return noModels{} }

type noModels struct{ extension.Models }

func (noModels) Find(_, _ string) *ai.Model { return nil }

func (w *walk) check(t *testing.T, c reachingCase) {
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), policyKey{}, w.host.policy))
	if slices.Contains([]string{"fs.watch", "net.listen", "http.listen", "dns.lookup", "dns.text", "dns.reverse"}, c.op) {
		cancel() // these last, or ask others
	}
	defer cancel()
	arg := []byte(strings.ReplaceAll(c.arg, "DIR", w.dir))
	run := func(rule Rule) (string, []byte, error) {
		w.asked = nil
		rule.Log, rule.Source = true, "of the test"
		w.host.policy.Rules = []Rule{rule}
		out, err := guarded(ctx, c.op, w.host.ops()[c.op], arg)
		slices.Sort(w.asked)
		return strings.Join(slices.Compact(w.asked), ", "), out, err
	}
	asked, out, err := run(Rule{})
	var refused *Error
	switch {
	case strings.HasPrefix(c.op, "process.env"): // a variable that is refused is not there
		if err != nil || strings.Contains(string(out), "RONDO_TEST_SECRET") || string(out) == `"s"` {
			t.Errorf("%s %v", out, err)
		}
	case !errors.As(err, &refused) || refused.Code != "EACCES" || !strings.Contains(refused.Message, "the extension walker may not") || !strings.Contains(refused.Message, "the rule of the test"):
		t.Errorf("%s %v is no refusal", out, err)
	case asked == "":
		t.Error("nothing was noted")
	}
	all := []string{"*"}
	asked, _, err = run(Rule{Read: all, Write: all, Exec: all, Network: all, Env: all})
	if errors.As(err, &refused) && strings.Contains(refused.Message, "may not") {
		t.Errorf("refused although all is allowed: %v", err)
	}
	want := strings.Split(strings.ReplaceAll(c.asks, "DIR", w.dir), ", ")
	slices.Sort(want)
	if asked != strings.Join(want, ", ") {
		t.Errorf("asked for %s\nwant %s", asked, strings.Join(want, ", "))
	}
}
