package bedrock_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/bedrock"
	"github.com/rondo-agent/rondo/ai/internal/replay"
)

// frame encodes an event of the stream.
func frame(t fataler, kind, payload string) []byte {
	t.Helper()
	var m eventstream.Message
	m.Headers.Set(eventstreamapi.EventTypeHeader, eventstream.StringValue(kind))
	m.Headers.Set(eventstreamapi.ContentTypeHeader, eventstream.StringValue("application/json"))
	m.Headers.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue(eventstreamapi.EventMessageType))
	m.Payload = []byte(payload)
	return encode(t, m)
}

func encode(t fataler, m eventstream.Message) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// deltas are those of each kind, as the service pads them.
func deltas(t testing.TB) []replay.Deltas {
	of := func(delta string, start ...byte) func(n int) *ai.Request {
		return func(n int) *ai.Request {
			c := &replay.Canned{Stream: string(start) + strings.Repeat(string(frame(t, "contentBlockDelta", delta)), n) + string(end(t, "end_turn"))}
			return &ai.Request{Model: model(), Options: ai.Options{APIKey: "bedrock-key", Client: c.Client()}}
		}
	}
	return []replay.Deltas{
		{Name: "text", Request: of(`{"contentBlockIndex":0,"delta":{"text":" beautiful"},"p":"abcdefghijklmnopqrstu"}`)},
		{Name: "thinking", Request: of(`{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":" beautiful"}},"p":"abcdefgh"}`)},
		{Name: "arguments", Request: of(
			`{"contentBlockIndex":0,"delta":{"toolUse":{"input":" beautiful"}},"p":"abcdefghijklm"}`, callStart(t, 0, "t1")...,
		)},
	}
}

func BenchmarkDelta(b *testing.B) {
	replay.BenchmarkDeltas(b, new(bedrock.Client).Stream, deltas(b))
}

func TestAllocationsPerDelta(t *testing.T) {
	replay.CheckAllocations(t, new(bedrock.Client).Stream, deltas(t), 3)
}
