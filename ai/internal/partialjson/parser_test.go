package partialjson_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai/internal/partialjson"
)

// documents are whole, cut short and damaged texts of arguments.
var documents = []string{
	`{}`,
	`{"command":"ls -la /tmp","timeout":10}`,
	` { "path" : "/tmp/a" , "content" : "line 1\nline \"2\"\t\u00e9 \ud83d\ude00 漢字 👩‍💻" , "mode" : -1.25e-3 } `,
	`{"edits":[{"oldText":"\usepackage{a}","newText":"b"},{"oldText":"\x","newText":""}],"all":true,"none":null,"no":false}`,
	`{"a":{"b":{"c":[[],[1,[2,{"d":[{}]}]],""]}},"":{"":""}}`,
	`{"a":1,"b":[1,2],"a":"again","b":{"c":1,"c":2,"c":[3]}}`,
	"{\"raw\":\"a\nb\tc\x00\",\"bad\":\"\xff\xf0\x9f\x98 \xe6\xbc\",\"lone\":\"\\ud800 \\udc00 \\ud83d\\u0041 \\ud83d\\ud83d\\ude00\"}",
	`{"command":"ls", "timeout": }`,
	`{"a":[1,2 3],"b":4}`,
	`{"a":1,"b":tru,"c":2}`,
	`{"a":01,"b":2}`,
	`{"a":1} trailing`,
	`[1,2]`,
	`"text"`,
	`not JSON`,
	`{"a":"` + strings.Repeat("x", 100) + `\`,
	`{"a":` + strings.Repeat("[", 1100),
}

func decode(t *testing.T, v jsontext.Value) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(v, &m); err != nil {
		t.Fatalf("decode %s: %v", v, err)
	}
	return m
}

// diff is cmp.Diff, but fast on deep values that are equal.
func diff(want, got map[string]any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// A parser that has seen every prefix, one that has seen none, and Salvage agree.
func TestParserAgreesWithSalvage(t *testing.T) {
	for _, doc := range documents {
		var p partialjson.Parser
		for i := range len(doc) + 1 {
			if i > 200 && i%100 != 0 && (i < 1000 || i > 1010) {
				continue // around the limit of the depth
			}
			var fresh partialjson.Parser
			want := decode(t, partialjson.Salvage(doc[:i]))
			got := p.Object(doc[:i])
			if diff := diff(want, got); diff != "" {
				t.Fatalf("Object(%q), incremental (-want +got):\n%s", doc[:i], diff)
			}
			if diff := diff(want, fresh.Object(doc[:i])); diff != "" {
				t.Fatalf("Object(%q), at once (-want +got):\n%s", doc[:i], diff)
			}
		}
	}
}

// Snapshots do not change (D7), however the text grows and wherever it lies.
func TestLaw_D7_SnapshotsDoNotChange(t *testing.T) {
	for _, doc := range documents {
		rng := rand.New(rand.NewPCG(1, 2))
		checkSnapshots(t, doc, func(rest int) int { return 1 + rng.IntN(min(rest, 5+len(doc)/20)) })
	}
}

// checkSnapshots feeds doc in steps. The text moves as a growing buffer does.
func checkSnapshots(t *testing.T, doc string, step func(rest int) int) {
	t.Helper()
	var p partialjson.Parser
	var buf []byte
	var snapshots []map[string]any
	var prefixes []string
	for len(buf) < len(doc) {
		n := len(buf) + step(len(doc)-len(buf))
		buf = append(buf, doc[len(buf):n]...)
		text := string(buf)
		if n%3 > 0 {
			text = doc[:n]
		}
		snapshots = append(snapshots, p.Object(text))
		prefixes = append(prefixes, text)
	}
	for i, snapshot := range snapshots {
		var fresh partialjson.Parser
		if diff := diff(fresh.Object(prefixes[i]), snapshot); diff != "" {
			t.Fatalf("the snapshot of %q has changed (-want +got):\n%s", prefixes[i], diff)
		}
	}
}

func TestParserShorterAndOtherTexts(t *testing.T) {
	doc := documents[3]
	var p partialjson.Parser
	for _, text := range []string{
		doc[:60], doc[:20], doc[:61], "", doc[:62], // a reader of earlier events
		`{"other":"text"`, `{"other":"text"}`, `{"x":1`, // the text was replaced
		doc, strings.Clone(doc), `{"x":1`, doc[:10],
	} {
		if diff := cmp.Diff(decode(t, partialjson.Salvage(text)), p.Object(text)); diff != "" {
			t.Fatalf("Object(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestParserWithoutNewsReturnsTheSameMap(t *testing.T) {
	var p partialjson.Parser
	text := `{"a":"x" , "name`
	first := p.Object(text[:8])
	allocs := testing.AllocsPerRun(10, func() { p.Object(text) })
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	first["mark"] = true
	if p.Object(text)["mark"] != true {
		t.Error("another map")
	}
}

func TestParserNumbers(t *testing.T) {
	var p partialjson.Parser
	got := p.Object(`{"a":1e999,"b":-1e999,"c":1e-999,"d":12345678901234567890}`)
	want := map[string]any{"a": 1.7976931348623157e308, "b": -1.7976931348623157e308, "c": 0.0, "d": 12345678901234567890.0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// document is arguments of about the given size.
func document(size int) string {
	const line = `\tfmt.Println(\"q\", x) // 漢字 and so on, until the end of the line\n`
	return `{"path":"/tmp/main.go","content":"` + strings.Repeat(line, size/len(line)) + `"}`
}

func TestParserAllocs(t *testing.T) {
	for name, doc := range map[string]string{
		"escapes":    document(100 << 10),
		"no escapes": strings.NewReplacer(`\"`, "", `\`, "").Replace(document(100 << 10)),
	} {
		t.Run(name, func(t *testing.T) {
			var p partialjson.Parser
			n := 12
			allocs := testing.AllocsPerRun(len(doc)/12-2, func() {
				p.Object(doc[:n])
				n += 12
			})
			if allocs > 5 {
				t.Errorf("%v allocations for a delta, want at most 5", allocs)
			}
			t.Logf("%v allocations for a delta", allocs)
		})
	}
}

// A delta costs the same however long the text is.
func BenchmarkParser(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KiB", 1 << 10}, {"10KiB", 10 << 10}, {"100KiB", 100 << 10}, {"1MiB", 1 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			doc := document(size.bytes)
			b.ReportAllocs()
			deltas := 0
			for b.Loop() {
				deltas += parseInDeltas(doc)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(deltas), "ns/delta")
		})
	}
}

// parseInDeltas takes a snapshot after every 12 bytes of a buffer that grows and moves.
func parseInDeltas(doc string) (deltas int) {
	var p partialjson.Parser
	var buf growing
	for i := 0; i < len(doc); i += 12 {
		p.Object(buf.add(doc[i:min(i+12, len(doc))]))
		deltas++
	}
	return deltas
}

func FuzzParser(f *testing.F) {
	for _, s := range documents {
		f.Add(s, uint64(3))
	}
	f.Fuzz(func(t *testing.T, doc string, seed uint64) {
		if len(doc) > 2000 {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		checkSnapshots(t, doc, func(rest int) int { return 1 + rng.IntN(min(rest, 20)) })
		var p partialjson.Parser
		got := p.Object(doc)
		var want map[string]any
		if err := json.Unmarshal(partialjson.Salvage(doc), &want); err != nil {
			return // a number that no float64 holds
		}
		if diff := diff(want, got); diff != "" {
			t.Errorf("Object(%q) (-Salvage +Object):\n%s", doc, diff)
		}
	})
}
