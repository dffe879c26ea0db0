package transcript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// head is how the lines of these tests begin.
const head = `"id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2025-01-01T00:00:01.000Z",`

// lines are entries of every kind as Pi 0.85 and 1.6 write them.
var lines = []string{
	`{"type":"message",` + head + `"message":{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}}`,
	`{"type":"message",` + head + `"message":{"role":"bashExecution","command":"ls","output":"a","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1}}`,
	`{"type":"message",` + head + `"message":{"role":"custom","customType":"x","content":"text","display":true,"timestamp":1}}`,
	`{"type":"thinking_level_change",` + head + `"thinkingLevel":"off"}`,
	`{"type":"model_change",` + head + `"provider":"lab","modelId":"m"}`,
	`{"type":"compaction",` + head + `"summary":"s","firstKeptEntryId":"aaaaaaa1","tokensBefore":100,"details":{"readFiles":[]},"fromHook":true}`,
	`{"type":"branch_summary",` + head + `"fromId":"aaaaaaa1","summary":"s"}`,
	`{"type":"custom",` + head + `"customType":"x","data":{"n":1}}`,
	`{"type":"custom_message",` + head + `"customType":"x","content":"text","display":false}`,
	`{"type":"custom_message",` + head + `"customType":"x","content":[{"type":"text","text":"t"}],"display":false,"details":[1]}`,
	`{"type":"label",` + head + `"targetId":"aaaaaaa1","label":"l"}`,
	`{"type":"label",` + head + `"targetId":"aaaaaaa1"}`,
	`{"type":"session_info",` + head + `"name":"n"}`,
	`{"type":"usage",` + head + `"kind":"k","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"note":"n"}`,
	`{"type":"context_edit",` + head + `"targetId":"aaaaaaa1","replacement":null}`,
	`{"type":"context_edit",` + head + `"targetId":"aaaaaaa1","replacement":{"content":[{"type":"text","text":"t"}]}}`,
	`{"type":"future_thing",` + head + `"x":{"y":[1.50,null]}}`,
}

func decode(t testing.TB, line string) transcript.Entry {
	t.Helper()
	e, err := transcript.DecodeEntry(jsontext.Value(line))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEveryKindIsReadAndWritten(t *testing.T) {
	kinds := make(map[string]bool)
	for _, line := range lines {
		e := decode(t, line)
		if u, ok := e.(*transcript.UnknownEntry); ok && (u.Err != nil || e.Type() != "future_thing") {
			t.Errorf("%s: not understood: %v", line, u.Err)
		}
		kinds[e.Type()] = true
		if string(e.Base().Raw()) != line {
			t.Errorf("raw is %s, want %s", e.Base().Raw(), line)
		}
		e.Base().Rebase(e.Base().ID, e.Base().ParentID) // makes it write its fields
		raw, err := transcript.EncodeEntry(e)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(line, string(raw)); diff != "" {
			t.Errorf("written from its fields (-want +got):\n%s", diff)
		}
	}
	if len(kinds) != 12 {
		t.Errorf("%d kinds of entries, want 11 and an unknown one", len(kinds))
	}
}

func TestUnknownFieldsSurvive(t *testing.T) {
	for _, line := range lines {
		more := strings.TrimSuffix(line, "}") + `,"new":{"b":1,"a":[2.0]}}`
		e := decode(t, more)
		e.Base().Rebase("bbbbbbbb", "")
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), `"new":{"b":1,"a":[2.0]}`) || !strings.Contains(string(raw), `"id":"bbbbbbbb","parentId":null`) {
			t.Errorf("%s became %s", more, raw)
		}
	}
}

func TestEntriesOfTheWrongFormAreKept(t *testing.T) {
	for _, line := range []string{
		`{"type":"message",` + head + `"message":{"role":"user","content":5}}`,
		`{"type":"message",` + head + `"message":"text"}`,
		`{"type":"message",` + head + `"text":"no message"}`,
		`{"type":"compaction",` + head + `"summary":7}`,
		`{"type":"label",` + head + `"targetId":{}}`,
	} {
		u, ok := decode(t, line).(*transcript.UnknownEntry)
		if !ok || u.Err == nil || u.ID != "aaaaaaa2" || u.ParentID != "aaaaaaa1" {
			t.Errorf("%s: %+v", line, u)
			continue
		}
		if string(u.Raw()) != line {
			t.Errorf("raw is %s, want %s", u.Raw(), line)
		}
	}
	for _, line := range []string{`[]`, `{`, `{}`, `{"type":7}`, `{"type":"x","id":[]}`, `"x"`, ``} {
		if e, err := transcript.DecodeEntry(jsontext.Value(line)); err == nil {
			t.Errorf("%q was read as %T", line, e)
		}
	}
}

func TestEntriesBeyondStrictJSONAreMended(t *testing.T) {
	e := decode(t, `{"type":"custom",`+head+`"customType":"x","data":{"a":1,"a":2,"s":"\ud83d!","l":["\udc00",{"b":1,"b":[1]}]}}`)
	custom, ok := e.(*transcript.CustomEntry)
	if !ok {
		t.Fatalf("read as %T", e)
	}
	if want := "{\"a\":2,\"l\":[\"\ufffd\",{\"b\":[1]}],\"s\":\"\ufffd!\"}"; string(custom.Data) != want {
		t.Errorf("data is %s, want %s", custom.Data, want)
	}
	if !e.Base().Raw().IsValid() {
		t.Errorf("raw is not strict: %s", e.Base().Raw())
	}
}

func TestTimestamps(t *testing.T) {
	want := time.Date(2025, 1, 1, 0, 0, 1, 0, time.UTC)
	for _, text := range []string{`"2025-01-01T00:00:01.000Z"`, `"2025-01-01T01:00:01+01:00"`, `1735689601000`} {
		e := decode(t, `{"type":"custom","id":"a","parentId":null,"timestamp":`+text+`,"customType":"x"}`)
		if at := e.Base().Timestamp; !at.Equal(want) || at.String() != "2025-01-01T00:00:01.000Z" {
			t.Errorf("%s is %v", text, at)
		}
	}
	for _, text := range []string{`"yesterday"`, `null`, `{}`, `""`} {
		e := decode(t, `{"type":"custom","id":"a","parentId":null,"timestamp":`+text+`,"customType":"x"}`)
		if at := e.Base().Timestamp; !at.IsZero() || at.Millis() != 0 {
			t.Errorf("%s is %v", text, at)
		}
	}
	if transcript.Now().Nanosecond()%int(time.Millisecond) != 0 {
		t.Error("Now is more precise than what is written")
	}
}

func TestHeader(t *testing.T) {
	line := `{"type":"session","version":3,"id":"my-id.1_2","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w","parentSession":"/p.jsonl","new":1}`
	h, err := transcript.DecodeHeader(jsontext.Value(line))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(h)
	if err != nil || string(raw) != line {
		t.Errorf("written as %s, %v", raw, err)
	}
	for _, bad := range []string{
		`{"type":"message","id":"x"}`, `{"type":"session"}`, `{"type":"session","id":"a/b"}`, `{"type":"session","id":""}`,
		`{"type":"session","id":"x","version":"three"}`, `null`, `x`,
	} {
		if _, err := transcript.DecodeHeader(jsontext.Value(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestNewID(t *testing.T) {
	before := transcript.NewID()
	time.Sleep(2 * time.Millisecond)
	id := transcript.NewID()
	if len(id) != 36 || id[14] != '7' || !strings.ContainsRune("89ab", rune(id[19])) || !transcript.ValidID(id) {
		t.Errorf("%s is no UUID of version 7", id)
	}
	if id <= before {
		t.Errorf("%s does not follow %s", id, before)
	}
}

func FuzzDecodeEntry(f *testing.F) {
	for _, line := range lines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := transcript.DecodeEntry(line)
		if err != nil {
			return
		}
		transcript.EntryMessage(e)
		e.Base().Rebase("aaaaaaaa", "")
		raw, err := transcript.EncodeEntry(e)
		if err != nil {
			t.Fatalf("%T cannot be written: %v", e, err)
		}
		again, err := transcript.DecodeEntry(raw)
		if err != nil || again.Type() != e.Type() {
			t.Fatalf("%s was read as %T: %v", raw, again, err)
		}
		if u, ok := again.(*transcript.UnknownEntry); ok {
			if _, was := e.(*transcript.UnknownEntry); !was {
				t.Fatalf("%s: %v", raw, u.Err)
			}
		}
	})
}

func BenchmarkDecodeEntry(b *testing.B) {
	raw := jsontext.Value(lines[0])
	b.ReportAllocs()
	for b.Loop() {
		if _, err := transcript.DecodeEntry(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeEntry(b *testing.B) {
	m := &ai.AssistantMessage{Content: ai.TextContent(strings.Repeat("x", 100)), API: "a", Provider: "p", Model: "m", StopReason: ai.StopEnd}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := transcript.EncodeEntry(&transcript.MessageEntry{EntryBase: transcript.EntryBase{ID: "aaaaaaaa"}, Message: m}); err != nil {
			b.Fatal(err)
		}
	}
}
