package resource_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/resource"
)

func TestExpand(t *testing.T) {
	p := files(t, map[string]string{
		"home/prompts/review.md":     "---\ndescription: d\n---\n\nReview $1: $@\n\n",
		"home/prompts/plain.md":      "Say $1.\n",
		"home/skills/count/SKILL.md": "---\nname: count\ndescription: d\n---\n\n  Use wc.\n\n",
		"home/skills/bare/SKILL.md":  "---\nname: bare\ndescription: d\n---",
	})
	set := p.load("work", resource.Options{})
	count := fmt.Sprintf("<skill name=\"count\" location=\"%s\">\nPaths in this skill are relative to the folder %s.\n\nUse wc.\n</skill>", p.path("home/skills/count/SKILL.md"), p.path("home/skills/count"))
	for _, test := range []struct{ text, want string }{
		{"hello", "hello"},
		{"/review a.go b.go", "Review a.go: a.go b.go"},
		{"/review\na.go\n\tb.go", "Review a.go: a.go b.go"},
		{"/plain world", "Say world.\n"},
		{"/plain", "Say .\n"},
		{" /plain world", " /plain world"},
		{"/Plain world", "/Plain world"},
		{"/unknown x", "/unknown x"},
		{"/", "/"},
		{"/skill:count", count},
		{"/skill:count  in  a.txt ", count + "\n\nin  a.txt"},
		{"/skill:count\nin a.txt", count + "\n\nin a.txt"},
		{"/skill:none x", "/skill:none x"},
		{"/skill:", "/skill:"},
		{"/count", "/count"},
	} {
		if got, err := set.Expand(test.text); err != nil || got != test.want {
			t.Errorf("%q: %q, %v, want %q", test.text, got, err, test.want)
		}
	}
}

func TestWhatWasEditedMeanwhileCounts(t *testing.T) {
	p := files(t, map[string]string{"home/prompts/p.md": "old", "home/skills/s/SKILL.md": skill("s", "x")})
	set := p.load("work", resource.Options{})
	p.write("home/prompts/p.md", "new $1")
	if got, err := set.Expand("/p x"); got != "new x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, path := range []string{"home/prompts/p.md", "home/skills/s/SKILL.md"} {
		if err := os.Remove(p.path(path)); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{"/p": "template p: ", "/skill:s": "skill s: "} {
		if got, err := set.Expand(text); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

func TestSkillNamesAreEscaped(t *testing.T) {
	p := files(t, map[string]string{"home/skills/x/SKILL.md": "---\nname: 'a\"><b>'\ndescription: d\n---\nBody"})
	got, err := p.load("work", resource.Options{}).Expand(`/skill:a"><b>`)
	if err != nil || !strings.HasPrefix(got, `<skill name="a&quot;&gt;&lt;b&gt;" location="`) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestArgumentsSplitLikeAShell is about templates in which quotes and spaces of
// the arguments were lost.
func TestArgumentsSplitLikeAShell(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \n\t ", nil},
		{"a b  c", []string{"a", "b", "c"}},
		{"a\nb\tc", []string{"a", "b", "c"}},
		{`"my file.go" now`, []string{"my file.go", "now"}},
		{`'it''s' x`, []string{"its", "x"}},
		{`a"b c"d 'x"y'`, []string{"ab cd", `x"y`}},
		{`"" x ''`, []string{"", "x", ""}},
		{`"say \"hi\"" it\'s`, []string{`say "hi"`, "it's"}},
		{`a\ b \"c`, []string{"a b", `"c`}},
		{`C:\dir\file "C:\my dir\x" \\server\share`, []string{`C:\dir\file`, `C:\my dir\x`, `\\server\share`}},
		{`'a\'`, []string{`a\`}},
		{`"not closed`, []string{"not closed"}},
		{`end\`, []string{`end\`}},
		{"\x00 a", []string{"\x00", "a"}},
		{"“smart quotes” é", []string{"“smart", "quotes”", "é"}},
	} {
		if diff := cmp.Diff(test.want, resource.SplitArguments(test.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

// TestFill has the values that Pi 0.85 gives.
func TestFill(t *testing.T) {
	abc, none := []string{"a", "b", "c"}, []string(nil)
	for _, test := range []struct {
		template string
		args     []string
		want     string
	}{
		{"$1 $2 $4 $10 $0", abc, "a b   "},
		{"$@ $ARGUMENTS $ARGUMENTSx", abc, "a b c a b c a b cx"},
		{"${@:2} ${@:0} ${@:2:1} ${@:2:0} ${@:9}", abc, "b c a b c b  "},
		{"${1:-d} ${3:-d $1 e} ${@:-all} ${ARGUMENTS:-all}", abc, "a c a b c a b c"},
		{"${1:-d} ${3:-d $1 e} ${@:-all} ${ARGUMENTS:-all} ${0:-z} ${1:-}.", none, "d d $1 e all all z ."},
		{"${1:-d}", []string{""}, "d"},
		{"${1} ${@} ${ARGUMENTS} ${@: 2} ${ARGUMENTS:2} ${x} $x $* $# $", abc, "${1} ${@} ${ARGUMENTS} ${@: 2} ${ARGUMENTS:2} ${x} $x $* $# $"},
		{"$$1 \\$1", abc, "$a \\a"},
		{"${4:-a}b} ${1:-open", none, "ab} ${1:-open"},
		{"${@:-1} ${@:1:} ${@:1:2:3} ${@::}", none, "1 ${@:1:} ${@:1:2:3} ${@::}"},
		{"$1 $@", []string{"$2", "${@:1}"}, "$2 $2 ${@:1}"},
		{"$99999999999999999999 ${@:99999999999999999999} ${@:1:99999999999999999999}", abc, "  a b c"},
	} {
		if got := resource.Fill(test.template, test.args); got != test.want {
			t.Errorf("%q with %q: %q, want %q", test.template, test.args, got, test.want)
		}
	}
}

// TestFillTakesLinearTime would run for minutes if every place were searched to the end.
func TestFillTakesLinearTime(t *testing.T) {
	for _, text := range []string{"${1:-", "${@:", "${", "$", "${1:", "${@:1"} {
		for _, end := range []string{"", "}", ":}"} {
			resource.Fill(strings.Repeat(text, 1<<18)+end, []string{"x"})
		}
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add("---\ndescription: d\n---\nReview $1: ${@:2} ${1:-x}", `"a b" c\ d 'e`)
	f.Add("$ARGUMENTS${ARGUMENTS:-${1}}$$@", "$1 $@")
	f.Add("${@:9999999999999999999999:1}", "x")
	dir := f.TempDir()
	path := filepath.Join(dir, "t.md")
	f.Fuzz(func(t *testing.T, template, args string) {
		args = strings.ToValidUTF8(args, "")
		list := resource.SplitArguments(args)
		if !strings.ContainsAny(args, `"'\`) {
			if diff := cmp.Diff(strings.Fields(args), append([]string{}, list...)); diff != "" {
				t.Errorf("plain arguments (-want +got):\n%s", diff)
			}
		}
		got := resource.Fill(template, list)
		if !strings.Contains(template, "$") && got != template {
			t.Errorf("%q became %q", template, got)
		}
		const mark = "\x00mark\x00"
		want := strings.ReplaceAll(resource.Fill(template, []string{mark}), mark, "$1")
		if got := resource.Fill(template, []string{"$1"}); got != want && !strings.Contains(template, mark) {
			t.Errorf("an argument was filled in again: %q, want %q", got, want)
		}
		if err := os.WriteFile(path, []byte(template), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = (&resource.Template{Name: "t", Path: path}).Expand(args)
	})
}

func FuzzFrontmatter(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\n---\nBody")
	f.Add("---\r\nmetadata:\r\n  a: [1]\r\nallowed-tools: [x, {y: z}]\r\n---\r\n")
	f.Add("---\na: &a [1]\nb: *a\n<<: {c: 1}\n---\n---\n")
	f.Add("---\n? {a: b}\n: c\n--- ")
	dir := f.TempDir()
	path := filepath.Join(dir, "SKILL.md")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		project, err := resource.Open(dir, filepath.Join(dir, "none"))
		if err != nil {
			t.Fatal(err)
		}
		set, err := project.Load(&resource.Options{Skills: []string{path}, NoSkills: true, Templates: []string{path}, NoTemplates: true, NoContextFiles: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range set.Commands() {
			if c.Name == "" || c.Description == "" {
				t.Errorf("command %+v", c)
			}
			if _, err := set.Expand("/" + c.Name); err != nil && !strings.ContainsAny(c.Name, " \n") {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		for _, problem := range set.Problems {
			if strings.Contains(problem.Text, "\n") {
				t.Errorf("problem of several lines: %q", problem.Text)
			}
		}
	})
}
