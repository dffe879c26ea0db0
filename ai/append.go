package ai

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AppendMessage appends the JSON form of a message: the bytes of json.Marshal, with invalid
// UTF-8 replaced. Messages are written by hand, unless they have something unusual in them:
// each goes into the session's file and to every client, while the agent waits.
func AppendMessage(dst []byte, m Message) ([]byte, error) {
	a := appender{dst: dst}
	switch m := m.(type) {
	case *UserMessage:
		a.user(m)
	case *AssistantMessage:
		a.assistant(m)
	case *ToolResultMessage:
		a.toolResult(m)
	default:
		a.value(m)
	}
	if a.err != nil {
		return dst, a.err
	}
	return a.dst, nil
}

// appender writes JSON. Keys come with the punctuation before and behind them.
type appender struct {
	dst []byte
	err error
}

func (a *appender) raw(text string)             { a.dst = append(a.dst, text...) }
func (a *appender) text(key, v string)          { a.raw(key); a.dst = appendString(a.dst, v) }
func (a *appender) integer(key string, v int64) { a.raw(key); a.dst = strconv.AppendInt(a.dst, v, 10) }
func (a *appender) boolean(key string, v bool)  { a.raw(key); a.dst = strconv.AppendBool(a.dst, v) }

// value writes anything as json does.
func (a *appender) value(v any) {
	out, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil && a.err == nil {
		a.err = err
	}
	a.dst = append(a.dst, out...)
}

func (a *appender) textIf(key, v string) {
	if v != "" {
		a.text(key, v)
	}
}

func (a *appender) valueIf(key string, v jsontext.Value) {
	if v != nil {
		a.raw(key)
		a.value(v)
	}
}

func (a *appender) user(m *UserMessage) {
	if len(m.Unknown) > 0 {
		a.value(m)
		return
	}
	a.raw(`{"role":"user","content":`)
	a.content(m.Content)
	a.integer(`,"timestamp":`, m.Timestamp)
	a.raw(`}`)
}

func (a *appender) assistant(m *AssistantMessage) {
	if len(m.Unknown) > 0 || m.Diagnostics != nil {
		a.value(m)
		return
	}
	a.raw(`{"role":"assistant","content":`)
	a.content(m.Content)
	a.text(`,"api":`, m.API)
	a.text(`,"provider":`, m.Provider)
	a.text(`,"model":`, m.Model)
	a.textIf(`,"responseModel":`, m.ResponseModel)
	a.textIf(`,"responseId":`, m.ResponseID)
	a.textIf(`,"providerThinkingLevel":`, m.ProviderThinkingLevel)
	a.textIf(`,"thinkingLevel":`, string(m.ThinkingLevel))
	a.raw(`,"usage":`)
	a.usage(&m.Usage)
	a.text(`,"stopReason":`, string(m.StopReason))
	a.textIf(`,"errorMessage":`, m.ErrorMessage)
	a.textIf(`,"rawStopReason":`, m.RawStopReason)
	if m.EndTurn != nil {
		a.boolean(`,"endTurn":`, *m.EndTurn)
	}
	a.integer(`,"timestamp":`, m.Timestamp)
	if m.DurationMs != 0 {
		a.integer(`,"durationMs":`, m.DurationMs)
	}
	a.raw(`}`)
}

func (a *appender) toolResult(m *ToolResultMessage) {
	if len(m.Unknown) > 0 {
		a.value(m)
		return
	}
	a.text(`{"role":"toolResult","toolCallId":`, m.ToolCallID)
	a.text(`,"toolName":`, m.ToolName)
	a.raw(`,"content":`)
	a.content(m.Content)
	a.valueIf(`,"details":`, m.Details)
	a.valueIf(`,"structuredContent":`, m.Structured)
	if m.Usage != nil {
		a.raw(`,"usage":`)
		a.usage(m.Usage)
	}
	if m.AddedToolNames != nil {
		a.raw(`,"addedToolNames":`)
		a.value(m.AddedToolNames)
	}
	a.boolean(`,"isError":`, m.IsError)
	a.integer(`,"timestamp":`, m.Timestamp)
	if m.DurationMs != nil {
		a.integer(`,"durationMs":`, *m.DurationMs)
	}
	a.raw(`}`)
}

func (a *appender) content(c Content) {
	a.raw(`[`)
	for i, block := range c {
		if i > 0 {
			a.raw(`,`)
		}
		a.block(block)
	}
	a.raw(`]`)
}

func (a *appender) block(block Block) {
	switch b := block.(type) {
	case *Text:
		if len(b.Unknown) == 0 {
			a.text(`{"type":"text","text":`, b.Text)
			a.textIf(`,"textSignature":`, b.Signature)
			a.raw(`}`)
			return
		}
	case *Thinking:
		if len(b.Unknown) == 0 {
			a.text(`{"type":"thinking","thinking":`, b.Thinking)
			a.textIf(`,"thinkingSignature":`, b.Signature)
			if b.Redacted {
				a.raw(`,"redacted":true`)
			}
			a.raw(`}`)
			return
		}
	case *ToolCall:
		if len(b.Unknown) == 0 && len(b.Arguments) > 0 {
			a.text(`{"type":"toolCall","id":`, b.ID)
			a.text(`,"name":`, b.Name)
			a.raw(`,"arguments":`)
			a.value(b.Arguments)
			a.textIf(`,"thoughtSignature":`, b.ThoughtSignature)
			a.textIf(`,"namespace":`, b.Namespace)
			a.raw(`}`)
			return
		}
	case *Image, *UnknownBlock:
	}
	a.value(block)
}

func (a *appender) usage(u *Usage) {
	if len(u.Unknown) > 0 {
		a.value(u)
		return
	}
	a.integer(`{"input":`, int64(u.Input))
	a.integer(`,"output":`, int64(u.Output))
	a.integer(`,"cacheRead":`, int64(u.CacheRead))
	a.integer(`,"cacheWrite":`, int64(u.CacheWrite))
	if u.CacheWrite1h != nil {
		a.integer(`,"cacheWrite1h":`, int64(*u.CacheWrite1h))
	}
	if u.Reasoning != nil {
		a.integer(`,"reasoning":`, int64(*u.Reasoning))
	}
	a.integer(`,"totalTokens":`, int64(u.TotalTokens))
	a.price(`,"cost":{"input":`, u.Cost.Input)
	a.price(`,"output":`, u.Cost.Output)
	a.price(`,"cacheRead":`, u.Cost.CacheRead)
	a.price(`,"cacheWrite":`, u.Cost.CacheWrite)
	a.price(`,"total":`, u.Cost.Total)
	if u.Cost.Reported {
		a.raw(`,"totalFromProvider":true`)
	}
	a.raw(`}}`)
}

// price writes numbers of a usual size as JavaScript does, without an exponent.
func (a *appender) price(key string, v float64) {
	a.raw(key)
	if size := math.Abs(v); v == 0 && !math.Signbit(v) || size >= 1e-6 && size < 1e21 {
		a.dst = strconv.AppendFloat(a.dst, v, 'f', -1, 64)
		return
	}
	a.value(v)
}

// appendString appends text as a JSON string; invalid UTF-8 becomes U+FFFD. Plain ASCII and
// the escapes that are frequent in it are copied in long pieces.
func appendString(dst []byte, text string) []byte {
	start := len(dst)
	dst = append(dst, '"')
	for rest := text; ; {
		n := plainASCII(rest)
		dst = append(dst, rest[:n]...)
		if n == len(rest) {
			return append(dst, '"')
		}
		c := rest[n]
		rest = rest[n+1:]
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst, _ = jsontext.AppendQuote(dst[:start], text) // its only error is about invalid UTF-8, which it replaces
			return dst
		}
	}
}

// plainASCII returns how many bytes come before one that is not ASCII or is written as an
// escape. It looks at eight at a time.
func plainASCII(text string) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		var word [8]byte
		copy(word[:], text[i:i+8])
		x := binary.LittleEndian.Uint64(word[:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if found := (x | (x - ones*' ') | (quote-ones)&^quote | (slash-ones)&^slash) & highs; found != 0 {
			return i + bits.TrailingZeros64(found)/8 // exact for the lowest
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			break
		}
	}
	return i
}
