package process

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/lenient"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"result","id":7,"unknown":{"a":[1]}}`: "",
		`{"type":"result","id":"a","id":"b"}`:          "", // the last one counts, as in most languages
		`{"type":"action","for":null}`:                 "",
		`{"type":"x","result":"\ud800"}`:               "", // half of a pair, as JavaScript and Python write it
		`{"type":"result","id":{"a":1}}`:               "its id is neither a number nor a string",
		`{"type":"action","for":[1]}`:                  "its for is no id",
		`{"id":7}`:                                     "it has no type",
		`[]`:                                           "",
		`{"type":"result"`:                             "unexpected EOF",
		`{"type":"result"} {}`:                         "after top-level value",
	} {
		_, err := parse([]byte(line))
		switch {
		case want == "" && err != nil && line != `[]`, line == `[]` && err == nil:
			t.Errorf("%s: %v", line, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestHead(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"result","id":7,"result":"xxxx`:             "result 7",
		`{"id":"a","result":{"deep":[1,{"x":2}]},"type":"ac`: ` "a"`,
		`{"id":"a","params":{},"type":"action","x":"`:        `action "a"`,
		`[1,2`: " ",
		``:     " ",
	} {
		if m := head([]byte(line)); m.Type+" "+string(m.ID) != want {
			t.Errorf("%s: %q %s", line, m.Type, m.ID)
		}
	}
}

// FuzzLine: whatever an extension writes, reading it does not panic, and what is understood
// can be answered with a line that is JSON and has the same id.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		`{"type":"result","id":1,"result":{"block":true},"mutated":null}`,
		`{"type":"error","id":1,"error":{"message":"x"}}`,
		`{"type":"action","id":"a","for":1,"action":"ui.select","params":{"title":"\u2028"}}`,
		`{"type":"ready","protocol":1,"tools":[{"name":"x","parameters":{"type":"object"}}],"flags":[{"default":true}]}`,
		`{"type":"progress","id":1,"result":"half"}`, "\xff", `{"type":"result","id":1e400}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		head(line)
		m, err := parse(line)
		if err != nil {
			return
		}
		number(m.ID)
		if m.failure() == nil {
			t.Error("an error without a text")
		}
		_ = decodeLine(line, new(registration))
		_, _ = readResult(m.Result)
		if m.ID == nil {
			return
		}
		var answer struct {
			ID jsontext.Value `json:"id"`
		}
		if err := json.Unmarshal(appendAnswer(m.ID, m.Result, nil), &answer, lenient.Options); err != nil {
			t.Fatalf("the answer is no JSON: %v", err)
		}
		if string(answer.ID) != string(m.ID) {
			t.Errorf("the id is %s, was %s", answer.ID, m.ID)
		}
	})
}
