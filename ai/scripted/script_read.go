package scripted

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

// Bounds that catch slips in a script.
const (
	maxMs    = 3600_000 // an hour
	maxCount = 1_000_000
)

// examples of what to write.
const (
	scriptExample = `{"replies": ["Hello."]}`
	replyExample  = `{"text": "Hello."}`
	toolExample   = `{"name": "read", "args": {"path": "notes.txt"}}`
	errorExample  = `{"status": 529, "message": "overloaded"}`
)

var stops = []ai.StopReason{ai.StopEnd, ai.StopLength, ai.StopToolUse, ai.StopDeferred, ai.StopError, ai.StopAborted}

func readScript(n node) (*Script, error) {
	if n.raw.Kind() == '[' {
		return nil, n.wrong(`an object with the list in it: {"replies": […]}`)
	}
	s := &Script{}
	err := n.object(scriptExample, fields{
		"loop": func(n node) error {
			if err := json.Unmarshal(n.raw, &s.Loop); err != nil || n.raw.Kind() == 'n' {
				return n.wrong("true or false")
			}
			return nil
		},
		"replies": func(n node) error {
			return n.list(`["Hello."]`, func(n node) error {
				reply, err := readReply(n)
				s.Replies = append(s.Replies, reply)
				return err
			})
		},
	})
	if err == nil && len(s.Replies) == 0 {
		err = n.errorf("it has no replies; write %s", scriptExample)
	}
	return s, err
}

// replyReader collects what the fields of a reply say.
type replyReader struct {
	reply                         Reply
	thinking, text, tools, blocks []Block
	gate                          Gate
	hasGate, hasGateAt            bool
}

func readReply(n node) (Reply, error) {
	if n.raw.Kind() == '"' {
		text, err := n.text("")
		return Say(text), err
	}
	r := &replyReader{}
	if err := n.object(replyExample, r.fields()); err != nil {
		return Reply{}, err
	}
	return r.finish(n)
}

func (r *replyReader) fields() fields {
	reply := &r.reply
	return fields{
		"thinking":        func(n node) (err error) { r.thinking, err = one(readThinking(n)); return err },
		"text":            func(n node) (err error) { r.text, err = one(readText(n)); return err },
		"tools":           func(n node) error { return n.list("["+toolExample+"]", appendTo(&r.tools, readTool)) },
		"blocks":          func(n node) error { return n.list("["+replyExample+"]", appendTo(&r.blocks, readBlock)) },
		"chunks":          func(n node) (err error) { reply.Chunks, err = n.count(1, maxCount); return err },
		"delayMs":         func(n node) (err error) { reply.Latency, err = n.milliseconds(); return err },
		"paceMs":          func(n node) (err error) { reply.Pace, err = n.milliseconds(); return err },
		"tokensPerSecond": func(n node) (err error) { reply.TokensPerSecond, err = n.number(0.1, maxCount); return err },
		"hold":            func(n node) (err error) { reply.Hold, err = n.text(`"ready"`); return err },
		"gate":            func(n node) (err error) { r.hasGate = true; r.gate.Name, err = n.text(`"ready"`); return err },
		"gateAt":          func(n node) (err error) { r.hasGateAt = true; r.gate.At, err = n.count(0, maxCount); return err },
		"cutAt":           func(n node) (err error) { reply.CutAt, err = n.count(1, maxCount); return err },
		"stop":            r.readStop,
		"usage":           r.readUsage,
		"error":           r.readError,
	}
}

// finish puts the blocks in their order and checks what belongs together.
func (r *replyReader) finish(n node) (Reply, error) {
	r.reply.Blocks = slices.Concat(r.thinking, r.text, r.tools)
	switch {
	case len(r.blocks) > 0 && len(r.reply.Blocks) > 0:
		return Reply{}, n.errorf("blocks stands beside thinking, text or tools; put everything into blocks")
	case r.hasGateAt && !r.hasGate:
		return Reply{}, n.errorf(`gateAt needs the name of a gate; write "gate": "ready" beside it`)
	}
	r.reply.Blocks = append(r.reply.Blocks, r.blocks...)
	if r.hasGate {
		r.reply.Gates = []Gate{r.gate}
	}
	return r.reply, nil
}

func one(b Block, err error) ([]Block, error) { return []Block{b}, err }

func appendTo(list *[]Block, read func(node) (Block, error)) func(node) error {
	return func(n node) error {
		b, err := read(n)
		*list = append(*list, b)
		return err
	}
}

func (n node) milliseconds() (time.Duration, error) {
	ms, err := n.number(0, maxMs)
	return time.Duration(ms * float64(time.Millisecond)), err
}

func readText(n node) (Block, error) {
	whole, pieces, err := n.pieces()
	return Block{Content: &ai.Text{Text: whole}, Pieces: pieces}, err
}

func readThinking(n node) (Block, error) {
	whole, pieces, err := n.pieces()
	return Block{Content: &ai.Thinking{Thinking: whole}, Pieces: pieces}, err
}

func readBlock(n node) (Block, error) {
	var found []Block
	keep := func(read func(node) (Block, error)) func(node) error { return appendTo(&found, read) }
	err := n.object(replyExample, fields{"text": keep(readText), "thinking": keep(readThinking), "tool": keep(readTool)})
	if err != nil {
		return Block{}, err
	}
	if len(found) != 1 {
		return Block{}, n.errorf("a block is one of text, thinking and tool, but this has %d of them; write a block for each", len(found))
	}
	return found[0], nil
}

func readTool(n node) (Block, error) {
	call := &ai.ToolCall{}
	b := Block{Content: call}
	raw := false
	err := n.object(toolExample, fields{
		"id":   func(n node) (err error) { call.ID, err = n.text(`"c1"`); return err },
		"name": func(n node) (err error) { call.Name, err = n.text(`"read"`); return err },
		"args": func(n node) error {
			if n.raw.Kind() != '{' {
				return n.wrong(`an object, such as {"path": "notes.txt"}, or use rawArgs for text that is no object`)
			}
			call.Arguments = n.raw
			return call.Arguments.Compact()
		},
		"rawArgs": func(n node) (err error) {
			raw = true
			call.RawArguments, b.Pieces, err = n.pieces()
			if call.RawArguments == "" && b.Pieces == nil {
				b.Pieces = []string{}
			}
			return err
		},
	})
	switch {
	case err != nil:
		return b, err
	case call.Name == "":
		return b, n.errorf("the name of the tool is missing; write %s", toolExample)
	case raw && call.Arguments != nil:
		return b, n.errorf("args and rawArgs are both given; keep one of them")
	}
	return b, nil
}

func (r *replyReader) readStop(n node) error {
	text, err := n.text(`"length"`)
	if err != nil {
		return err
	}
	if r.reply.Stop = ai.StopReason(text); !slices.Contains(stops, r.reply.Stop) {
		return n.errorf("there is no stop reason %q; write one of %s", text, listOf(stops))
	}
	return nil
}

func listOf(stops []ai.StopReason) string {
	var names []string
	for _, s := range stops {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func (r *replyReader) readUsage(n node) error {
	u := &ai.Usage{}
	count := func(into *int) func(node) error {
		return func(n node) (err error) { *into, err = n.count(0, 1_000_000_000); return err }
	}
	r.reply.Usage = u
	return n.object(`{"input": 1200, "output": 80}`, fields{
		"input": count(&u.Input), "output": count(&u.Output), "cacheRead": count(&u.CacheRead), "cacheWrite": count(&u.CacheWrite),
	})
}

func (r *replyReader) readError(n node) error {
	if n.raw.Kind() == '"' {
		text, err := n.text("")
		if err == nil && text == "" {
			err = n.errorf(`the message is empty; write what is wrong, such as "overloaded"`)
		}
		r.reply.Err = errors.New(text)
		return err
	}
	e := &ai.StatusError{}
	r.reply.Err = e
	return n.object(errorExample, fields{
		"status":       func(n node) (err error) { e.Status, err = n.count(400, 599); return err },
		"message":      func(n node) (err error) { e.Message, err = n.text(`"overloaded"`); return err },
		"code":         func(n node) (err error) { e.Code, err = n.text(`"overloaded_error"`); return err },
		"retryAfterMs": func(n node) (err error) { e.RetryAfter, err = n.milliseconds(); return err },
	})
}
