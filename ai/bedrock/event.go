package bedrock

import (
	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/skim"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// delta is contentBlockDelta. The service pads it with a member p of random length.
type delta struct {
	index     int
	kind      deltaKind
	text      string
	signature string
	redacted  string // base64
}

type deltaKind int

const (
	otherDelta deltaKind = iota // of a kind that is left out
	textDelta
	inputDelta
	reasoningDelta
)

// read reads a delta; what it has not is empty.
func (d *delta) read(data []byte) error {
	if d.skim(data) {
		return nil
	}
	return d.decode(data)
}

// skim reads a delta as the service spells it; false for all that looks unusual.
func (d *delta) skim(data []byte) bool {
	*d = delta{}
	s := skim.New(data)
	indexed := false
	return s.Object(func(name []byte) bool {
		switch string(name) {
		case "contentBlockIndex":
			indexed = true
			return s.Int(&d.index)
		case "delta":
			return s.Object(func(name []byte) bool { return d.skimPiece(s, name) })
		}
		return s.Skip()
	}) && s.End() && indexed && d.kind != otherDelta
}

func (d *delta) skimPiece(s *skim.Scanner, name []byte) bool {
	switch string(name) {
	case "text":
		d.kind = textDelta
		return s.Text(&d.text)
	case "toolUse":
		d.kind = inputDelta
		return s.Object(func(name []byte) bool {
			if string(name) == "input" {
				return s.Text(&d.text)
			}
			return s.Skip()
		})
	case "reasoningContent":
		d.kind = reasoningDelta
		return s.Object(func(name []byte) bool {
			switch string(name) {
			case "text":
				return s.Text(&d.text)
			case "signature":
				return s.Text(&d.signature)
			case "redactedContent":
				return s.Text(&d.redacted)
			}
			return s.Skip()
		})
	}
	return s.Skip()
}

// decode reads a delta in any form.
func (d *delta) decode(data []byte) error {
	var ev struct {
		Index *int `json:"contentBlockIndex"`
		Delta struct {
			Text    *text `json:"text"`
			ToolUse *struct {
				Input text `json:"input"`
			} `json:"toolUse"`
			Reasoning *struct {
				Text      text `json:"text"`
				Signature text `json:"signature"`
				Redacted  text `json:"redactedContent"`
			} `json:"reasoningContent"`
		} `json:"delta"`
	}
	if err := json.Unmarshal(data, &ev, wire.Lax); err != nil {
		return err
	}
	*d = delta{index: indexOr(ev.Index)}
	switch piece := &ev.Delta; {
	case piece.Text != nil:
		d.kind, d.text = textDelta, string(*piece.Text)
	case piece.ToolUse != nil:
		d.kind, d.text = inputDelta, string(piece.ToolUse.Input)
	case piece.Reasoning != nil:
		r := piece.Reasoning
		d.kind, d.text, d.signature, d.redacted = reasoningDelta, string(r.Text), string(r.Signature), string(r.Redacted)
	}
	return nil
}

// newest stands for an index that is missing. It is not taken for 0.
const newest = -1

func indexOr(index *int) int {
	if index == nil {
		return newest
	}
	return *index
}

// blockStart is contentBlockStart; only tool uses have one.
type blockStart struct {
	Index *int `json:"contentBlockIndex"`
	Start struct {
		ToolUse *struct {
			ID   text `json:"toolUseId"`
			Name text `json:"name"`
		} `json:"toolUse"`
	} `json:"start"`
}

type blockStop struct {
	Index *int `json:"contentBlockIndex"`
}

type messageStop struct {
	Reason text `json:"stopReason"`
}

// metadata comes last. Input leaves out what was read from or written to the cache.
type metadata struct {
	Usage *struct {
		Input      wire.Count `json:"inputTokens"`
		Output     wire.Count `json:"outputTokens"`
		Total      wire.Count `json:"totalTokens"`
		CacheRead  wire.Count `json:"cacheReadInputTokens"`
		CacheWrite wire.Count `json:"cacheWriteInputTokens"`
		Details    []struct {
			TTL   text       `json:"ttl"`
			Input wire.Count `json:"inputTokens"`
		} `json:"cacheDetails"`
	} `json:"usage"`
}

// usage returns the counts; nil if there are none.
func (m *metadata) usage() *ai.Usage {
	u := m.Usage
	if u == nil {
		return nil
	}
	out := &ai.Usage{
		Input: int(u.Input), Output: int(u.Output), CacheRead: int(u.CacheRead), CacheWrite: int(u.CacheWrite), TotalTokens: int(u.Total),
	}
	hour := 0
	for _, detail := range u.Details {
		if detail.TTL == "1h" {
			hour += int(detail.Input)
		}
	}
	if len(u.Details) > 0 {
		out.CacheWrite1h = new(min(hour, out.CacheWrite))
	}
	return out
}

type text = wire.Text
