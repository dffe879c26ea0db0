package rpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/session"
)

func TestGetCommands(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for name, text := range map[string]string{
		"prompts/ask.md": "---\ndescription: Asks \"it\"\n---\nAsk $1.", "skills/count/SKILL.md": "---\nname: count\ndescription: Counts\n---\nUse wc.", "listed.md": "Listed.",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	project, err := resource.Open(t.TempDir(), home)
	if err != nil {
		t.Fatal(err)
	}
	set, err := project.Load(&resource.Options{Lists: []resource.List{{Dir: home, Prompts: []string{"listed.md"}}}})
	if err != nil {
		t.Fatal(err)
	}
	base, err := filepath.EvalSymlinks(home)
	if err != nil {
		t.Fatal(err)
	}
	quote := func(text string) string {
		data, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, test := range []struct {
		set  *resource.Set
		want string
	}{
		{nil, `[]`},
		{set, `[{"name":"listed","description":"Listed.","source":"prompt","sourceInfo":{"path":` + quote(filepath.Join(home, "listed.md")) + `,"source":"local","scope":"user","origin":"top-level"}},` +
			`{"name":"ask","description":"Asks \"it\"","source":"prompt","sourceInfo":{"path":` + quote(filepath.Join(base, "prompts", "ask.md")) + `,"source":"auto","scope":"user","origin":"top-level","baseDir":` + quote(base) + `}},` +
			`{"name":"skill:count","description":"Counts","source":"skill","sourceInfo":{"path":` + quote(filepath.Join(base, "skills", "count", "SKILL.md")) + `,"source":"auto","scope":"user","origin":"top-level","baseDir":` + quote(base) + `}}]`},
	} {
		c := connect(t, open(t, scripted.Demo(), session.Options{Resources: test.set}), &rpc.Options{Models: catalogue{}})
		got := c.ask(`{"id":"1","type":"get_commands"}`)
		want := `{"id":"1","type":"response","command":"get_commands","success":true,"data":{"commands":` + test.want + `}}`
		if strings.TrimSpace(got) != want {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
		c.end()
	}
}
