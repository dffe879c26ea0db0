package ai_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
)

// canonical returns JSON with sorted keys, to compare.
func canonical(t *testing.T, raw []byte) string {
	t.Helper()
	v := jsontext.Value(raw).Clone()
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return string(v)
}

var messages = map[string]string{
	"user":        `{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"timestamp":1}`,
	"assistant":   `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s","redacted":true},{"type":"text","text":"a","textSignature":"t"},{"type":"toolCall","id":"1","name":"x","arguments":{"b":1,"a":[1,2]},"thoughtSignature":"g","namespace":"n"}],"api":"a","provider":"p","model":"m","responseModel":"r","responseId":"i","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":0,"reasoning":0,"totalTokens":10,"cost":{"input":0.1,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.1}},"stopReason":"toolUse","rawStopReason":"tool_calls","errorMessage":"e","endTurn":false,"timestamp":2,"durationMs":5}`,
	"tool result": `{"role":"toolResult","toolCallId":"1","toolName":"x","content":[],"details":{"k":[null]},"addedToolNames":["y"],"isError":true,"timestamp":3,"durationMs":0}`,
	"system":      `{"role":"system","content":"be brief","sections":{"a":"x","b":null},"toolsAdded":[{"name":"t","description":"d","parameters":{"type":"object"}}],"toolsRemoved":["u"],"timestamp":4}`,
	"unknown":     `{"role":"notice","deep":{"x":[1,2,{"y":null}]}}`,
	"new fields":  `{"role":"user","content":[{"type":"text","text":"hi","future":{"a":1}},{"type":"video","url":"u"}],"timestamp":1,"mood":"good","list":[1]}`,
}

func TestMessagesSurviveARoundTrip(t *testing.T) {
	for name, in := range messages {
		t.Run(name, func(t *testing.T) {
			m, err := ai.DecodeMessage(jsontext.Value(in))
			if err != nil {
				t.Fatal(err)
			}
			for lib, marshal := range map[string]func(any) ([]byte, error){
				"encoding/json": json.Marshal,
				"json v2":       func(v any) ([]byte, error) { return jsonx.Marshal(v) },
			} {
				out, err := marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(canonical(t, []byte(in)), canonical(t, out)); diff != "" {
					t.Errorf("%s:\n%s", lib, diff)
				}
			}
		})
	}
}

func TestUnknownPartsKeepTheirBytes(t *testing.T) {
	const odd = `{"role":"x",  "n": 1.50e+2, "s":"\u0041"}`
	m, err := ai.DecodeMessage(jsontext.Value(odd))
	if err != nil {
		t.Fatal(err)
	}
	if u, ok := m.(*ai.UnknownMessage); !ok || string(u.Raw) != odd || u.Role() != "x" {
		t.Errorf("%#v", m)
	}
}

func TestContentReadsStrings(t *testing.T) {
	m, err := ai.DecodeMessage(jsontext.Value(`{"role":"user","content":"plain","timestamp":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.(*ai.UserMessage).Content; !reflect.DeepEqual(got, ai.TextContent("plain")) {
		t.Errorf("%#v", got)
	}
}

func TestBadMessagesAreErrors(t *testing.T) {
	for in, want := range map[string]string{
		`[1]`:                                "read message",
		`{"role":"user","content":7}`:        `role "user"`,
		`{"role":"user","content":[7]}`:      "content block",
		`{"role":"toolResult","isError":"x"`: "read message",
	} {
		if _, err := ai.DecodeMessage(jsontext.Value(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestMissingArgumentsAreAnEmptyObject(t *testing.T) {
	out, err := jsonx.Marshal(&ai.ToolCall{ID: "1", Name: "x"})
	if err != nil || !strings.Contains(string(out), `"arguments":{}`) {
		t.Errorf("%s %v", out, err)
	}
}

func FuzzDecodeMessage(f *testing.F) {
	for _, in := range messages {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := ai.DecodeMessage(in)
		if err != nil {
			return
		}
		out, err := jsonx.Marshal(m)
		if err != nil {
			t.Fatalf("%s cannot be written: %v", in, err)
		}
		again, err := ai.DecodeMessage(out)
		if err != nil {
			t.Fatalf("%s was written as %s: %v", in, out, err)
		}
		if !reflect.DeepEqual(m, again) {
			second, _ := jsonx.Marshal(again)
			if canonical(t, out) != canonical(t, second) {
				t.Fatalf("%s\n%s", out, second)
			}
		}
	})
}

func TestPricing(t *testing.T) {
	hour := 100
	for name, c := range map[string]struct {
		pricing ai.Pricing
		usage   ai.Usage
		want    float64
	}{
		"plain":                {ai.Pricing{Input: 3, Output: 15, CacheRead: 0.3}, ai.Usage{Input: 1000, Output: 200, CacheRead: 5000}, 0.0075},
		"tier is strict":       {ai.Pricing{Input: 1, Tiers: []ai.PricingTier{{InputTokensAbove: 1000, Input: 2}}}, ai.Usage{Input: 1000}, 0.001},
		"tier of the whole":    {ai.Pricing{Input: 1, Tiers: []ai.PricingTier{{InputTokensAbove: 1000, Input: 2}}}, ai.Usage{Input: 600, CacheRead: 401}, 0.0012},
		"highest tier":         {ai.Pricing{Input: 1, Tiers: []ai.PricingTier{{InputTokensAbove: 10, Input: 2}, {InputTokensAbove: 100, Input: 3}}}, ai.Usage{Input: 1000}, 0.003},
		"an hour costs double": {ai.Pricing{Input: 1, CacheWrite: 1.25}, ai.Usage{CacheWrite: 300, CacheWrite1h: &hour}, 0.00045},
		"unknown prices":       {ai.Pricing{Input: -1000000, Output: -1}, ai.Usage{Input: 5, Output: 5}, 0},
	} {
		if got := c.pricing.Of(c.usage).Total; got < c.want-1e-12 || got > c.want+1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestThinkingLevels(t *testing.T) {
	word := "max"
	plain := &ai.Model{}
	reasons := &ai.Model{Reasoning: true}
	mapped := &ai.Model{Reasoning: true, ThinkingLevelMap: map[ai.ThinkingLevel]*string{ai.ThinkingOff: nil, ai.ThinkingMinimal: nil, ai.ThinkingMax: &word}}
	for _, c := range []struct {
		m          *ai.Model
		want, gets ai.ThinkingLevel
	}{
		{plain, ai.ThinkingHigh, ai.ThinkingOff},
		{reasons, ai.ThinkingXHigh, ai.ThinkingHigh},
		{reasons, ai.ThinkingMedium, ai.ThinkingMedium},
		{mapped, ai.ThinkingOff, ai.ThinkingLow}, // upward first
		{mapped, ai.ThinkingXHigh, ai.ThinkingMax},
		{reasons, "loud", ai.ThinkingOff},
	} {
		if got := c.m.ClampThinking(c.want); got != c.gets {
			t.Errorf("%s becomes %s, want %s", c.want, got, c.gets)
		}
	}
}
