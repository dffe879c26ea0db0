package glob_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/tools/internal/glob"
)

func TestMatch(t *testing.T) {
	dir := filepath.FromSlash("/home/me/src/app")
	tests := []struct {
		pattern string
		opts    *glob.Options
		paths   string // those that match, folders with a slash, of all
	}{
		{"*.ts", nil, "src/a.ts src/x/b.ts other/src/c.ts {a,b}.ts é.ts"},
		{"./*.ts", nil, "{a,b}.ts é.ts"},
		{"src", nil, "src/ other/src/"},
		{"src/", nil, "src/ other/src/"},
		{"./src/", nil, "src/"},
		{"README", nil, ""},
		{"readme.md", &glob.Options{IgnoreCase: true}, "README.md"},
		{"[p-s]eadme.md", &glob.Options{IgnoreCase: true}, "README.md"},
		{"[A-Z]*", nil, "README.md"},
		{"[!A-Za-z]*", nil, "{a,b}.ts é.ts"},
		{"[^A-Za-z]*", nil, "{a,b}.ts é.ts"},
		{"?.ts", nil, "src/a.ts src/x/b.ts other/src/c.ts é.ts"},
		{"[]{]*", nil, "{a,b}.ts"},
		{"src[!a]*", nil, ""},
		{"src[--0]a.ts", nil, ""},
		{"s[/]c", nil, ""},
		{"*}.ts", nil, "{a,b}.ts"},
		{"{src,other/**}/*.ts", nil, "src/a.ts other/src/c.ts"},
		{"{**/x,other/src}/*", nil, "src/x/b.ts other/src/c.ts"},
		{"{a,{b,c}}.ts", nil, "src/a.ts src/x/b.ts other/src/c.ts"},
		{"{a,b}{,.ts}", nil, "src/a.ts src/x/b.ts"},
		{`\{a,b\}.ts`, nil, "{a,b}.ts"},
		{"**", nil, "src/ src/a.ts src/x/ src/x/b.ts other/ other/src/ other/src/c.ts README.md {a,b}.ts é.ts"},
		{"src/**", nil, "src/a.ts src/x/ src/x/b.ts"},
		{"src/**/", nil, "src/x/"},
		{"src*/**/*.ts", nil, "src/a.ts src/x/b.ts"},
		{"src/x**", nil, "src/x/"},
		{"**/src/*.ts", nil, "src/a.ts other/src/c.ts"},
		{"**/{x,src}/[bc].ts", nil, "src/x/b.ts other/src/c.ts"},
		{"/home/me/src/app/*.md", nil, "README.md"},
		{"/src/*.ts", &glob.Options{Rooted: true}, "src/a.ts"},
		{"/README.md", &glob.Options{Rooted: true}, "README.md"},
	}
	all := strings.Fields("src/ src/a.ts src/x/ src/x/b.ts other/ other/src/ other/src/c.ts README.md {a,b}.ts é.ts")
	for _, tt := range tests {
		g, err := glob.Compile(dir, tt.pattern, tt.opts)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		var got []string
		for _, name := range all {
			path, isDir := strings.CutSuffix(name, "/")
			if g.Match(path, isDir) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != tt.paths {
			t.Errorf("%q matches %q, want %q", tt.pattern, got, tt.paths)
		}
	}
}

func TestPatternsAreRelativeToTheFolder(t *testing.T) {
	dir := filepath.FromSlash("/home/me/src/app")
	for pattern, want := range map[string]string{
		"./src/*.ts":                  "src/a.ts",
		"././/src/*.ts":               "src/a.ts",
		"src/*.ts":                    "src/a.ts",
		"src/**/*.ts":                 "src/a.ts src/x/b.ts",
		"/home/me/src/app/src/*.ts":   "src/a.ts",
		"/home/me/src/app/**/src/?.*": "src/a.ts other/src/c.ts",
	} {
		g, err := glob.Compile(dir, pattern, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, path := range []string{"src/a.ts", "src/x/b.ts", "other/src/c.ts"} {
			if g.Match(path, false) {
				got = append(got, path)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q matches %q, want %q", pattern, got, want)
		}
	}
	for pattern, hint := range map[string]string{
		"/src/*.ts": "absolute", "/home/me/src/apple/*.ts": "absolute", "../*.ts": "..", "src/../x": "..", "": "empty", "./": "empty", "/home/me/src/app/": "empty",
		"[a": "[", "[": "[", "[]": "[", "{a": "{", `a\`: `\`, "[z-a]": "range", `[a\`: "[",
	} {
		if _, err := glob.Compile(dir, pattern, nil); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: error %v, want one about %q", pattern, err, hint)
		}
	}
}

// TestPatternsTakeLinearTime has patterns that take matchers ages which try
// one alternative after the other.
func TestPatternsTakeLinearTime(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("{a,b}", 30) + "x",
		strings.Repeat("{a,a}", 300) + "x",
		strings.Repeat("*{a,*a}", 200) + "x",
		strings.Repeat("**/{a,**/a}/", 60) + "x",
		strings.Repeat("?**/*{,a}/**/{*/,**/}a/{**/a,a}", 20) + "x",
		strings.Repeat("{a,", 200) + strings.Repeat("}", 200) + "x",
		strings.Repeat("*a", 400) + "x",
	} {
		g, err := glob.Compile("/", pattern, nil)
		if err != nil {
			t.Errorf("%.40q: %v", pattern, err)
			continue
		}
		for _, path := range []string{strings.Repeat("a", 400) + "?x", strings.Repeat("a/", 150) + "?x"} {
			if g.Match(path, false) && !strings.HasPrefix(pattern, "?**") {
				t.Errorf("%.40q matches", pattern)
			}
		}
	}
	for _, pattern := range []string{strings.Repeat("a", 5000), strings.Repeat("{a", 1500) + strings.Repeat("}", 1500)} {
		if _, err := glob.Compile("/", pattern, nil); err == nil {
			t.Errorf("%.40q is accepted", pattern)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("src/**/*.{ts,tsx}", "src/x/a.ts")
	f.Add("[!a-z]{a,{b,c}}?", "9bx")
	f.Add("./{a,b}{a,b}*/", "a/b")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		plain, err := glob.Compile("/dir", pattern, nil)
		if err != nil {
			return
		}
		folded, err := glob.Compile("/dir", pattern, &glob.Options{IgnoreCase: true})
		if err != nil {
			t.Fatalf("%q is only valid with case: %v", pattern, err)
		}
		if strings.ToLower(path) == path && strings.ToLower(pattern) == pattern && plain.Match(path, false) != folded.Match(path, false) {
			t.Errorf("%q and %q: case makes a difference where there is none", pattern, path)
		}
		if plain.Match(path, false) && !plain.Match(path, true) {
			t.Errorf("%q matches the file %q but not the folder", pattern, path)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	g, err := glob.Compile("/", "src/**/*.{ts,tsx}", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		g.Match("src/components/account/settings/panel.tsx", false)
	}
}
