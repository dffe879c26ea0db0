package relay

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// encoder writes the events of one answer. It keeps no text: a hash of the deltas tells
// whether the client has what the message has.
type encoder struct {
	seed    maphash.Seed
	blocks  []*sent
	secrets []string
}

// sent is what a client knows of a block.
type sent struct {
	kind      string
	deltas    maphash.Hash
	ended     bool
	text      uint64 // hash of the text that the client ends up with
	signature string
	redacted  bool
	call      *ai.ToolCall
}

func newEncoder(secrets []string) *encoder {
	return &encoder{seed: maphash.MakeSeed(), secrets: secrets}
}

// append appends an event that is not the last one as the content of a data line. What
// does not fit its block's start is left to the ending.
func (e *encoder) append(dst []byte, ev ai.StreamEvent) []byte {
	switch ev := ev.(type) {
	case *ai.TextStart:
		e.start(ev.ContentIndex, ai.TypeText)
	case *ai.ThinkingStart:
		e.start(ev.ContentIndex, ai.TypeThinking)
	case *ai.ToolCallStart:
		e.start(ev.ContentIndex, ai.TypeToolCall)
	case *ai.TextDelta:
		e.delta(ev.ContentIndex, ev.Delta)
	case *ai.ThinkingDelta:
		e.delta(ev.ContentIndex, ev.Delta)
	case *ai.ToolCallDelta:
		e.delta(ev.ContentIndex, ev.Delta)
	case *ai.TextEnd:
		return e.textEnd(dst, ev.Type(), ev.ContentIndex, ev.Content, ev.Partial)
	case *ai.ThinkingEnd:
		return e.textEnd(dst, ev.Type(), ev.ContentIndex, ev.Content, ev.Partial)
	case *ai.ToolCallEnd:
		return e.callEnd(dst, ev.ContentIndex, ev.ToolCall)
	case *ai.Start, *ai.Done, *ai.Error:
	}
	return ev.AppendJSON(dst)
}

func (e *encoder) start(i int, kind string) {
	for len(e.blocks) <= i {
		s := &sent{}
		s.deltas.SetSeed(e.seed)
		e.blocks = append(e.blocks, s)
	}
	if s := e.block(i); s != nil {
		s.kind = kind
	}
}

// block returns what was sent of a block; nil if it has not begun.
func (e *encoder) block(i int) *sent {
	if i < 0 || i >= len(e.blocks) {
		return nil
	}
	return e.blocks[i]
}

func (e *encoder) delta(i int, delta string) {
	if s := e.block(i); s != nil {
		s.deltas.WriteString(valid(delta))
	}
}

// valid returns the text as JSON transports it.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text)) // each invalid byte becomes U+FFFD, as in the encoded delta
}

func (e *encoder) hash(text string) uint64 { return maphash.String(e.seed, valid(text)) }

func (e *encoder) textEnd(dst []byte, typ string, i int, content string, partial ai.Partial) []byte {
	end := blockEnd{Type: typ, ContentIndex: i}
	if m := partial.Message(); i >= 0 && i < len(m.Content) {
		switch b := m.Content[i].(type) {
		case *ai.Text:
			end.Signature = b.Signature
		case *ai.Thinking:
			end.Signature, end.Redacted = b.Signature, b.Redacted
		default:
		}
	}
	if s := e.block(i); s != nil {
		s.ended, s.text, s.signature, s.redacted = true, e.hash(content), end.Signature, end.Redacted
		if s.deltas.Sum64() != s.text {
			end.Content = &content
		}
	}
	return appendJSON(dst, &end)
}

func (e *encoder) callEnd(dst []byte, i int, call *ai.ToolCall) []byte {
	end := blockEnd{Type: ai.EventToolCallEnd, ContentIndex: i, ToolCall: call}
	text := string(call.Arguments)
	if call.ArgumentsError != "" {
		text = call.RawArguments
	}
	if s := e.block(i); s != nil {
		s.ended, s.call = true, call
		empty := text == "{}" && s.deltas.Sum64() == e.hash("")
		if s.deltas.Sum64() != e.hash(text) && !empty {
			end.Arguments = &text
		}
	}
	return appendJSON(dst, &end)
}

// appendEnding appends the last event. The server's keys are taken out of it, wherever
// they are.
func (e *encoder) appendEnding(dst []byte, m *ai.AssistantMessage) []byte {
	end := endingOf(m)
	if !e.streamed(m.Content) {
		end.Content = &m.Content
		for i, b := range m.Content {
			if call, ok := b.(*ai.ToolCall); ok && call.ArgumentsError != "" {
				end.Broken = append(end.Broken, brokenCall{i, call.ArgumentsError, call.RawArguments})
			}
		}
	}
	return e.appendRedacted(dst, end)
}

// appendFailure ends the answer of a provider that broke its contract. What was streamed
// stays.
func (e *encoder) appendFailure(dst []byte, model *ai.Model, err error) []byte {
	return e.appendRedacted(dst, endingOf(&ai.AssistantMessage{
		API: model.API, Provider: model.Provider, Model: model.ID,
		StopReason: ai.StopError, ErrorMessage: err.Error(), Err: err,
	}))
}

func (e *encoder) appendRedacted(dst []byte, end *ending) []byte {
	from := len(dst)
	dst = appendJSON(dst, end)
	return append(dst[:from], redact(dst[from:], e.secrets)...)
}

// streamed reports whether a client that has followed the events has this content.
func (e *encoder) streamed(content ai.Content) bool {
	if len(content) != len(e.blocks) {
		return false
	}
	for i, block := range content {
		if !e.blocks[i].holds(e, block) {
			return false
		}
	}
	return true
}

func (s *sent) holds(e *encoder, block ai.Block) bool {
	text := s.text
	if !s.ended {
		text = s.deltas.Sum64()
	}
	switch b := block.(type) {
	case *ai.Text:
		return s.kind == ai.TypeText && e.hash(b.Text) == text && b.Signature == s.signature && len(b.Unknown) == 0
	case *ai.Thinking:
		return s.kind == ai.TypeThinking && e.hash(b.Thinking) == text && b.Signature == s.signature &&
			b.Redacted == s.redacted && len(b.Unknown) == 0
	case *ai.ToolCall:
		return s.kind == ai.TypeToolCall && s.holdsCall(b) && b.Namespace == "" && len(b.Unknown) == 0
	default:
		return false
	}
}

// holdsCall leaves the arguments of a call that has not ended out of it: no such call
// runs, and both sides salvage the same text.
func (s *sent) holdsCall(call *ai.ToolCall) bool {
	if !s.ended {
		return call.ThoughtSignature == ""
	}
	return call == s.call || call.ID == s.call.ID && call.Name == s.call.Name &&
		call.ThoughtSignature == s.call.ThoughtSignature && call.ArgumentsError == s.call.ArgumentsError &&
		bytes.Equal(call.Arguments, s.call.Arguments)
}

func appendJSON(dst []byte, v any) []byte {
	out, err := json.Marshal(v, wire.Lax)
	if err != nil { // a message of a foreign stream that holds no JSON where it should
		return append(dst, `{"type":"error","reason":"error","usage":{},"errorMessage":"the relay could not encode the answer"}`...)
	}
	return append(dst, out...)
}
