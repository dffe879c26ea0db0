package edit_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/internal/textfile"
	"github.com/rondo-agent/rondo/tools/edit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// file makes a folder with one file, a.txt.
func file(t testing.TB, content string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "a.txt")
	put(t, path, content)
	return dir, path
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// arguments are those of a call; pairs are oldText and newText in turn.
func arguments(t testing.TB, path string, pairs ...string) jsontext.Value {
	t.Helper()
	edits := []edit.Edit{}
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, edit.Edit{OldText: pairs[i], NewText: pairs[i+1]})
	}
	raw, err := json.Marshal(map[string]any{"path": path, "edits": edits})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func run(t testing.TB, tool *agent.Tool, args jsontext.Value) (*agent.ToolResult, error) {
	t.Helper()
	return tool.Execute(t.Context(), &agent.Call{ID: "c1", Tool: tool, Args: args})
}

// mustFail edits a.txt, which must fail and leave the file, and returns the error.
func mustFail(t *testing.T, before string, pairs ...string) string {
	t.Helper()
	dir, path := file(t, before)
	_, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", pairs...))
	if err == nil {
		t.Fatalf("editing %q by %q: no error; the file is %q", before, pairs, content(t, path))
	}
	if got := content(t, path); got != before {
		t.Errorf("the edit failed (%v) but the file is %q", err, got)
	}
	return err.Error()
}

func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not have %q", text, part)
		}
	}
}

func TestEdits(t *testing.T) {
	tests := []struct {
		name, before string
		edits        []string
		want         string
	}{
		{"one line", "one\ntwo\n", []string{"two", "2"}, "one\n2\n"},
		{"without newline at the end", "one\ntwo", []string{"two", "2\n"}, "one\n2\n"},
		{"delete", "one\ntwo\n", []string{"one\n", ""}, "two\n"},
		{"delete everything", "one", []string{"one", ""}, ""},
		{"in any order", "one\ntwo\nthree\n", []string{"three", "two", "two", "three", "one", "1"}, "1\nthree\ntwo\n"},
		{"neighbours", "abc", []string{"a", "1", "b", "2", "c", "3"}, "123"},
		{"neighbouring insertions", "a\nb\n", []string{"a\n", "a\nx\n", "b\n", "y\nb\n"}, "a\nx\ny\nb\n"},
		{"one that changes nothing", "a\nb\n", []string{"a", "a", "b", "B"}, "a\nB\n"},
		{"CRLF", "one\r\ntwo\r\nthree\r\n", []string{"one\ntwo", "1\n2\n2.5"}, "1\r\n2\r\n2.5\r\nthree\r\n"},
		{"CRLF in the arguments", "one\ntwo\n", []string{"one\r\ntwo", "1\r\n2"}, "1\n2\n"},
		{"not UTF-8", "\xff\xfd\none\n\x80", []string{"one", "1"}, "\xff\xfd\n1\n\x80"},
		{"lone CR", "a\rb\nc\n", []string{"b", "B"}, "a\rB\nc\n"},
		{"NUL", "a\x00b\n", []string{"a\x00b", "c"}, "c\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, path := file(t, tt.before)
			result, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", tt.edits...))
			if err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !result.Details.IsValid() {
				t.Errorf("details %s", result.Details)
			}
		})
	}
}

func TestResultNamesCountAndPath(t *testing.T) {
	dir, _ := file(t, "a\nb\n")
	result, err := run(t, edit.New(dir, nil), arguments(t, "./a.txt", "a", "A", "b", "B"))
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Content.Text(); got != "Made 2 replacements in ./a.txt." {
		t.Errorf("got %q", got)
	}
}

func TestExactTextCountsAlone(t *testing.T) {
	dir, path := file(t, "greeting = \"hi\"\ngreeting = “hi”\n")
	if _, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", "greeting = \"hi\"", "greeting = \"ho\"")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "greeting = \"ho\"\ngreeting = “hi”\n" {
		t.Errorf("got %q", got)
	}
	msg := mustFail(t, "say “hi”\nsay „hi‟\n", "say \"hi\"", "x")
	mustContain(t, msg, "2 times", "lines 1, 2", "apart from quotes")
}

func TestOverlappingPlacesCount(t *testing.T) {
	mustContain(t, mustFail(t, "foo\nfoo\nfoo\n", "foo\nfoo\n", "x"), "2 times", "lines 1, 2")
	mustContain(t, mustFail(t, "aaaa", "aaa", "b"), "2 times")
	mustContain(t, mustFail(t, "‘x‘x‘", "'x'", "b"), "2 times")
	mustContain(t, mustFail(t, strings.Repeat("a\n", 200), "a", "b"), "100 times or more", "1, 2, 3, 4, 5, …")
}

func TestUntouchedLinesKeepTheirBytes(t *testing.T) {
	tests := []struct{ name, before, oldText, newText, want string }{
		{
			"lines outside", "keep “this” — as it is  \nsay(“hi”) – it’s\nand ‘this’\t\n",
			"say(\"hi\") - it's", "say(\"bye\")", "keep “this” — as it is  \nsay(\"bye\")\nand ‘this’\t\n",
		},
		{
			"lines inside of the match", "a “1”  \nb “2”\u00a0\nc “3”\t\nd\n",
			"a \"1\"\nb \"2\"\nc \"3\"\n", "a \"1\"\nb \"two\"\nc \"3\"\n", "a “1”  \nb \"two\"\nc “3”\t\nd\n",
		},
		{"blanks behind the match", "x “y”  \nz\n", "x \"y\"", "x", "x  \nz\n"},
		{"blanks in the match", "x  \ny\t\nz\n", "x\ny\nz", "x\nY\nz", "x  \nY\nz\n"},
		{"blanks that the file does not have", "“x”\ny\n", "\"x\"  \ny", "\"x\"  \nY", "“x”\nY\n"},
		{"blanks at the end of oldText", "“x”\ny\n", "\"x\"  ", "z", "z\ny\n"},
		{"insertion between", "‘a’\n‘b’\n", "'a'\n'b'\n", "'a'\nnew\n'b'\n", "‘a’\nnew\n‘b’\n"},
		{"line break before blanks", "a  \n“b”\n", "\n\"b\"", "\nB", "a  \nB\n"},
		{"at the end of the file", "a\n“b”   ", "a\n\"b\"", "a\nB", "a\nB   "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, path := file(t, tt.before)
			if _, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", tt.oldText, tt.newText)); err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestUnicodeForms(t *testing.T) {
	tests := []struct{ before, oldText, newText, want string }{
		{"前ＡＢＣ１２３後\n", "ABC123", "x", "前x後\n"},
		{"e\u0301\u00e9 cafe\u0301!\n", "caf\u00e9", "tea", "e\u0301\u00e9 tea!\n"},
		{"caf\u00e9 e\u0301\n", "cafe\u0301", "tea", "tea e\u0301\n"},
		{"a\u3000b\u00a0c\u202fd\n", "b c", "x", "a\u3000x\u202fd\n"},
		{"minus \u2212 dash \u2014\n", "\u2013", "+", "minus + dash \u2014\n"},
		{"ﬁle …\n", "file ...", "x", "x\n"},
		{"한글 문서\n", "한글", "x", "x 문서\n"},
	}
	for _, tt := range tests {
		dir, path := file(t, tt.before)
		_, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", tt.oldText, tt.newText))
		if strings.Contains(tt.before, "minus") {
			if err == nil || !strings.Contains(err.Error(), "2 times") {
				t.Errorf("%q: %v", tt.before, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.before, err)
		} else if got := content(t, path); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.before, got, tt.want)
		}
	}
	// Half of a character that folding takes apart is no place.
	mustContain(t, mustFail(t, "ﬁsh „x\n", "ish \"x", "y"), "not in the file")
}

func TestNotFoundNamesTheCauseAndTheNearestLine(t *testing.T) {
	tests := []struct {
		name, before, oldText, newText string
		want                           []string
	}{
		{"escaped in the file", "a = 1\nb = 'it\\u2019s'\n", "b = 'it’s'", "x", []string{"escape sequences", `’ is \u2019`, `line is line 2: "b = 'it\u2019s'"`}},
		{"escaped by the model", "a\n\tb \"c\"\n", `a\n\tb \"c\"`, "x", []string{"escape sequences", "the characters themselves"}},
		{"indentation", "func f() {\n\treturn 1\n}\n", "func f() {\n    return 1\n}", "x", []string{"line 1 differs only in spaces", "from line 1 on the file agrees with 1 line of it", "line 2"}},
		{"case", "const Max = 1\n", "const max = 1", "x", []string{"line 1 differs in upper and lower case"}},
		{"line numbers", "one\ntwo\n", " 1: one\n 2: two\n", "x", []string{"line numbers"}},
		{"made before", "alpha = 2\n", "alpha = 1", "alpha = 2", []string{"newText is there already (line 1)"}},
		{"similar", "alpha\nreturn compute(a, b, c)\nomega\n", "return compute(a, b)", "x", []string{`the most similar line is line 2: "return compute(a, b, c)"`}},
		{"nothing alike", "alpha\n", "0123456789", "x", []string{"oldText is not in the file; read the file again"}},
		{"long line", strings.Repeat("é", 1000) + "\n", strings.Repeat("é", 999) + "x", "x", []string{"éé…\""}},
		{"only blank", "a\n", "  \n  ", "x", []string{"not in the file"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mustContain(t, mustFail(t, tt.before, tt.oldText, tt.newText), tt.want...)
		})
	}
}

func TestAllEditsMatchTheOriginal(t *testing.T) {
	dir, path := file(t, "a b")
	if _, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", "a", "b", "b", "c")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "b c" {
		t.Errorf("got %q", got)
	}
	mustContain(t, mustFail(t, "foo bar baz", "bar baz", "x", "foo bar", "y"), "edits[0] and edits[1] overlap")
	mustContain(t, mustFail(t, "foo", "foo", "x", "foo", "x"), "edits[0] and edits[1] overlap")
	msg := mustFail(t, "dup once dup\n", "once", "x", "never", "y", "dup", "z")
	mustContain(t, msg, "edits[1]: oldText is not in the file", "edits[2]: oldText occurs 2 times", "none of the edits was made")
}

func TestNothingIsFoundBySimilarity(t *testing.T) {
	before := "func a() {\n\tx := 1\n\ty := 2\n\tz := 3\n}\n\nfunc b() {\n\tx := 1\n\ty := 2\n\tz := 4\n}\n"
	dir, path := file(t, before)
	tool := edit.New(dir, nil)
	args := arguments(t, "a.txt", "func a() {\n\tx := 1\n\ty := 2\n\tz := 3\n}\n", "func a() {\n\treturn\n}\n")
	if _, err := run(t, tool, args); err != nil {
		t.Fatal(err)
	}
	after := content(t, path)
	_, err := run(t, tool, args)
	if err == nil {
		t.Fatal("an edit was made twice")
	}
	mustContain(t, err.Error(), "newText is there already (line 1)")
	if got := content(t, path); got != after {
		t.Errorf("the file is %q", got)
	}
}

func TestEmptyTexts(t *testing.T) {
	mustContain(t, mustFail(t, "", "x", "y"), "the file is empty")
	mustContain(t, mustFail(t, "", "", "y"), "oldText is empty")
	mustContain(t, mustFail(t, "x", "", "y"), "oldText is empty")
	mustContain(t, mustFail(t, "\ufeff", "x", "y"), "the file is empty")
	mustContain(t, mustFail(t, "x\n", "x", "x"), "nothing to change")
	mustContain(t, mustFail(t, "x\n"), "at least one replacement")
}

func TestErrorsOfTheFileSystem(t *testing.T) {
	dir, _ := file(t, "x")
	tool := edit.New(dir, nil)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, tool, arguments(t, "missing.txt", "a", "b")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join(dir, "missing.txt")) {
		t.Errorf("missing: %v", err)
	}
	if _, err := run(t, tool, arguments(t, "sub", "a", "b")); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: %v", err)
	}
	if os.Geteuid() <= 0 {
		return // permissions do not bind root, and are different on Windows
	}
	for name, mode := range map[string]fs.FileMode{"none": 0, "read-only": 0o444} {
		path := filepath.Join(dir, name)
		put(t, path, "x")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := run(t, tool, arguments(t, name, "x", "y")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOlderShapesOfArguments(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"now", `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`, `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`},
		{"top level", `{"path":"a","oldText":"x","newText":"y"}`, `{"path":"a","edits":[{"newText":"y","oldText":"x"}]}`},
		{"string", `{"path":"a","edits":"[{\"oldText\":\"x\",\"newText\":\"y\"}]"}`, `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`},
		{"object", `{"path":"a","edits":{"oldText":"x","newText":"y"}}`, `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`},
		{"object in a string", `{"path":"a","edits":"{\"oldText\":\"x\",\"newText\":\"y\"}"}`, `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`},
		{"both", `{"oldText":"x","newText":"y","path":"a","edits":[{"oldText":"1","newText":"2"}]}`, `{"path":"a","edits":[{"oldText":"1","newText":"2"},{"newText":"y","oldText":"x"}]}`},
		{"more fields", `{"why":"because","path":"a","oldText":"x","newText":"y"}`, `{"path":"a","edits":[{"newText":"y","oldText":"x"}],"why":"because"}`},
		{"half", `{"path":"a","oldText":"x"}`, `{"path":"a","oldText":"x"}`},
		{"no JSON in the string", `{"path":"a","edits":"oops"}`, `{"path":"a","edits":"oops"}`},
		{"number", `{"path":"a","edits":7,"oldText":"x","newText":"y"}`, `{"path":"a","edits":7,"oldText":"x","newText":"y"}`},
		{"no object", `[1]`, `[1]`},
	}
	for _, tt := range tests {
		got, err := edit.New("", nil).PrepareArguments(jsontext.Value(tt.raw))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

func TestMixedLineEndsAndByteOrderMark(t *testing.T) {
	tests := []struct {
		name, before string
		edits        []string
		want         string
	}{
		{"new lines end as the first one", "a\r\nb\nc\r\n", []string{"b", "x\ny"}, "a\r\nx\r\ny\nc\r\n"},
		{"first is LF", "a\nb\r\nc\r\n", []string{"b\nc", "b\nx\nc"}, "a\nb\r\nx\nc\r\n"},
		{"shared lines keep theirs", "a\r\nb\nc\r\nd\n", []string{"a\nb\nc\nd\n", "a\nB\nc\nd\n"}, "a\r\nB\r\nc\r\nd\n"},
		{"deleted lines", "a\r\nb\nc\r\n", []string{"b\n", ""}, "a\r\nc\r\n"},
		{"byte order mark", "\ufeffone\r\ntwo\r\n", []string{"one\ntwo", "1\n2"}, "\ufeff1\r\n2\r\n"},
		{"byte order mark in oldText", "\ufeffone\ntwo\n", []string{"\ufeffone", "1"}, "\ufeff1\ntwo\n"},
		{"all of it", "\ufeff前 “x”  \r\n漢字\n中\u00a0文\r\n", []string{"漢字", "字"}, "\ufeff前 “x”  \r\n字\n中\u00a0文\r\n"},
		{"smart and CRLF", "“a”\r\n“b”\r\n“c”\r\n", []string{"\"a\"\n\"b\"", "\"a\"\nB"}, "“a”\r\nB\r\n“c”\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, path := file(t, tt.before)
			if _, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", tt.edits...)); err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestUTF16IsWrittenBack(t *testing.T) {
	for _, e := range []textfile.Encoding{textfile.UTF16LE, textfile.UTF16BE} {
		dir, path := file(t, string(e.Encode("eins\r\nzwei 😀\r\ndreißig\r\n")))
		if _, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", "zwei 😀\ndreißig", "2 é\n30")); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != string(e.Encode("eins\r\n2 é\r\n30\r\n")) {
			t.Errorf("%v: the file is %q", e, got)
		}
	}
	for _, broken := range []string{"\xff\xfea\x00\x3d\xd8b\x00", "\xfe\xff\x00a\x00"} {
		mustContain(t, mustFail(t, broken, "a", "b"), "UTF-16")
	}
}

func TestBytesThatAreNotUTF8AreNamed(t *testing.T) {
	const before = "first\ncaf\xe9 au lait\n\xff\xfe\xfd tail\n"
	for oldText, want := range map[string]string{
		"caf\ufffd au lait":                "line 2 has the byte 0xE9",
		"café au lait":                     "line 2 has the byte 0xE9",
		"first\ncafé":                      "line 2 has the byte 0xE9",
		"\ufffd\ufffd\ufffd tail":          "line 3 has the byte 0xFF",
		"au lait\n\ufffd\ufffd\ufffd tail": "line 3 has the byte 0xFF",
	} {
		got := mustFail(t, before, oldText, "x")
		mustContain(t, got, "the file is not UTF-8", want)
		if strings.Contains(got, "spaces") {
			t.Errorf("%q blames spaces: %s", oldText, got)
		}
	}
	if got := mustFail(t, before, "somewhere else", "x"); strings.Contains(got, "UTF-8") {
		t.Errorf("bytes elsewhere are blamed: %s", got)
	}
	dir, path := file(t, before)
	if _, err := run(t, edit.New(dir, nil), arguments(t, "a.txt", "au lait", "noir")); err != nil || content(t, path) != "first\ncaf\xe9 noir\n\xff\xfe\xfd tail\n" {
		t.Errorf("%v, the file is %q", err, content(t, path))
	}
}

func TestSpellingsOfNames(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "Bob\u2019s.md"), "x")
	if _, err := run(t, edit.New(dir, nil), arguments(t, "@Bob's.md", "x", "y")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(dir, "Bob\u2019s.md")); got != "y" {
		t.Errorf("got %q", got)
	}
}
