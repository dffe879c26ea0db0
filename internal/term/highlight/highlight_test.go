package highlight_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/internal/term/highlight"
)

var marks = map[highlight.Kind]string{
	highlight.Comment: "c", highlight.String: "s", highlight.Number: "n", highlight.Keyword: "k", highlight.Type: "t",
	highlight.Function: "f", highlight.Name: "v", highlight.Heading: "h", highlight.Inserted: "i", highlight.Deleted: "d",
}

// marked writes each piece that is not plain as kind‹text›.
func marked(l *highlight.Language, code string) string {
	var b strings.Builder
	for kind, text := range l.Pieces(code) {
		if kind == highlight.Plain {
			b.WriteString(text)
		} else {
			b.WriteString(marks[kind] + "‹" + text + "›")
		}
	}
	return b.String()
}

func TestPieces(t *testing.T) {
	for _, test := range []struct{ lang, code, want string }{
		{"go", "func f(s string) int { // c\n\treturn len(`a\n\"b`) + 0x1F - 'x' }", "k‹func› f‹f›(s t‹string›) t‹int› { c‹// c›\n\tk‹return› t‹len›(s‹`a\n\"b`›) + n‹0x1F› - s‹'x'› }"},
		{"go", `"a\"b" x`, `s‹"a\"b"› x`},
		{"go", "\"open\nx", "s‹\"open›\nx"},
		{"go", "/* never closed", "c‹/* never closed›"},
		{"go", "größe := 1.5e-3", "größe := n‹1.5e-3›"},
		{"c", "#include <x.h>\nint a; #b", "k‹#include› <x.h>\nt‹int› a; #b"},
		{"rust", "fn f<'a>(x: &'a str) -> char { 'b' }", "k‹fn› f<'a>(x: &'a t‹str›) -> t‹char› { s‹'b'› }"},
		{"rust", `r#"a "b" c"# x`, `s‹r#"a "b" c"#› x`},
		{"js", "const a = /x\\/[/]'/g.test(b) / 2 // c", "k‹const› a = s‹/x\\/[/]'/g›.f‹test›(b) / n‹2› c‹// c›"},
		{"ts", "`a ${b}\n'c`", "s‹`a ${b}\n'c`›"},
		{"python", "@cache\ndef f(x):\n  return f\"{x}\" + '''a\nb''' # c", "k‹@cache›\nk‹def› f‹f›(x):\n  k‹return› s‹f\"{x}\"› + s‹'''a\nb'''› c‹# c›"},
		{"bash", "if grep -q 'a b' $file; then echo ${x#y} # c\nfi", "k‹if› t‹grep› -q s‹'a b'› v‹$file›; k‹then› t‹echo› v‹${x#y}› c‹# c›\nk‹fi›"},
		{"bash", "echo a#b", "t‹echo› a#b"},
		{"sql", "SELECT count(*) FROM t -- c", "k‹SELECT› t‹count›(*) k‹FROM› t c‹-- c›"},
		{"json", `{"a": "b", "c": [1, true]}`, `{v‹"a"›: s‹"b"›, v‹"c"›: [n‹1›, t‹true›]}`},
		{"yaml", "a b: true # c\n- d: 'e'\n  url: http://x\n---", "v‹a b›: t‹true› c‹# c›\n- v‹d›: s‹'e'›\n  v‹url›: http://x\nh‹---›"},
		{"toml", "[a.b]\nc = \"d\" # e", "h‹[a.b]›\nv‹c› = s‹\"d\"› c‹# e›"},
		{"css", ".a { color: #fff; width: 50%; --b: var(--c) }", ".a { v‹color›: n‹#fff›; v‹width›: n‹50%›; v‹--b›: t‹var›(--c) }"},
		{"html", "<a href='x'>b</a><!-- c --><script>let d</script>", "k‹<a› v‹href›=s‹'x'›k‹>›bk‹</a›k‹>›c‹<!-- c -->›k‹<script›k‹>›k‹let› dk‹</script›k‹>›"},
		{"xml", "a < b <![CDATA[x]]>", "a < b s‹<![CDATA[x]]>›"},
		{"markdown", "# a\n> b\n1. c `d`\n```\ne\n```\nf", "h‹# a›\nc‹> b›\nk‹1.› c s‹`d`›\ns‹```›\ns‹e›\ns‹```›\nf"},
		{"diff", "--- a\n@@ -1 +1 @@\n-b\n+c\n d", "c‹--- a›\nh‹@@ -1 +1 @@›\nd‹-b›\ni‹+c›\n d"},
		{"dockerfile", "FROM a\nRUN echo from $b", "k‹FROM› a\nk‹RUN› echo from v‹$b›"},
		{"makefile", "a: b\n\techo $(c)", "v‹a›: b\n\techo v‹$(c)›"},
		{"go", "", ""},
	} {
		if got := marked(highlight.Named(test.lang), test.code); got != test.want {
			t.Errorf("%s\n%s\ngot  %s\nwant %s", test.lang, test.code, got, test.want)
		}
	}
}

func TestLanguages(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"/a/b.go", "go"},
		{"Dockerfile", "dockerfile"},
		{`C:\x\Makefile`, "makefile"},
		{"a.test.TSX", "javascript"},
		{".env.local", "bash"},
		{"go.mod", "gomod"},
		{"a.unknown", ""},
		{"README", ""},
		{"", ""},
		{"a.", ""},
	} {
		name := ""
		if l := highlight.ForFile(test.file); l != nil {
			name = l.Name()
		}
		if name != test.want {
			t.Errorf("%s is %q, want %q", test.file, name, test.want)
		}
	}
	if highlight.Named("GO") == nil || highlight.Named("") != nil || highlight.Named("<script>") != nil {
		t.Error("Named does not find what it should")
	}
}

func TestStops(t *testing.T) {
	n := 0
	for range highlight.Named("go").Pieces("a b \"c\" // d\n\"e\"") {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d pieces after a break at the second", n)
	}
}

var all = strings.Fields("go gomod c cpp csharp java kotlin swift scala groovy rust zig dart js python ruby php perl lua sh ps1 sql json yaml toml hcl css html xml md diff dockerfile make graphql proto ex hs ml lisp r jl nix")

func FuzzPieces(f *testing.F) {
	for _, code := range []string{"/* \" ' ` ", "<a b='\"<script>/*", "```x\n``", "a: 'b\n- # c", "${", "r#\"'''\\", "\xff\xc3'\x00", "@$#"} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		for _, name := range all {
			var b strings.Builder
			for _, text := range highlight.Named(name).Pieces(code) {
				if text == "" {
					t.Fatalf("%s: an empty piece", name)
				}
				b.WriteString(text)
			}
			if b.String() != code {
				t.Fatalf("%s: the pieces of %q are %q", name, code, b.String())
			}
		}
	})
}

func BenchmarkPieces(b *testing.B) {
	own, err := os.ReadFile("scan.go")
	if err != nil {
		b.Fatal(err)
	}
	for name, code := range map[string]string{
		"go":      string(own),
		"hostile": strings.Repeat("/x", 50_000),
		"blanks":  strings.Repeat(" ", 100_000),
		"quotes":  strings.Repeat("'", 100_000),
		"braces":  strings.Repeat("${", 50_000),
	} {
		b.Run(name, func(b *testing.B) {
			lang := highlight.Named("go")
			if name != "go" {
				lang = highlight.Named("js")
			}
			if name == "braces" {
				lang = highlight.Named("sh")
			}
			b.SetBytes(int64(len(code)))
			b.ReportAllocs()
			for b.Loop() {
				for range lang.Pieces(code) {
				}
			}
		})
	}
}
