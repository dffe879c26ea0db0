package scripted

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// Reply is one answer of a scripted model. The zero value is an answer without content.
type Reply struct {
	// Blocks are what the answer consists of, in order.
	Blocks []Block
	// Chunks is in how many pieces each block comes, if it does not say itself; a short
	// block has fewer. 0 means word by word, and at most 16 characters in a piece.
	Chunks int

	// Hold names a gate that the reply waits at before its first event.
	Hold string
	// Gates are waited at inside the answer.
	Gates []Gate
	// Latency is the time before the first event, after Hold.
	Latency time.Duration
	// Pace is the time before each piece.
	Pace time.Duration
	// TokensPerSecond adds to Pace what a piece takes at this speed, four characters
	// being a token; 0 adds nothing.
	TokensPerSecond float64

	// Stop is why the answer ended; empty means toolUse if it has tool calls, else stop.
	// With error or aborted and no Err, the answer fails with a general message.
	Stop ai.StopReason
	// Usage replaces the simulated token counts.
	Usage *ai.Usage
	// Err makes the answer fail after its blocks; without blocks it fails before the
	// start event, as a refused request does. A [*ai.StatusError] is judged as one of a
	// real provider: whether it is retried, for instance.
	Err error
	// CutAt makes the answer fail when this many of its pieces have come, which may be in
	// the middle of a block, or after its last block if it has no more pieces. 0 means
	// that it does not. Err then defaults to [ai.ErrUnterminated].
	CutAt int

	// Func, if set, makes the reply from the request. The other fields are then unused.
	Func func(req *ai.Request) Reply
}

// Block is one block of a reply: text, thinking or a tool call. [Text], [Thinking],
// [Call] and [RawCall] make the usual ones.
type Block struct {
	// Content is an [*ai.Text], [*ai.Thinking] or [*ai.ToolCall], with its signature if
	// it has one. A call without id gets one that the conversation does not have yet. If a
	// call has RawArguments, they are streamed in place of its Arguments.
	Content ai.Block
	// Pieces, if not nil, are the deltas in which the block comes; they replace its
	// text, its thinking or the JSON text of its arguments.
	Pieces []string
}

// Gate is a place inside an answer where it waits until [Model.Release] is called with
// the gate's name. A gate that has been released stays open.
type Gate struct {
	Name string
	// At is how many pieces of the answer, over all its blocks, come before the gate. With
	// 0 it stands between the start event and the first block; with more than there are,
	// before the end.
	At int
}

// Say returns a reply that consists of one text.
func Say(text string) Reply { return Of(Text(text)) }

// Of returns a reply that consists of these blocks.
func Of(blocks ...Block) Reply { return Reply{Blocks: blocks} }

// Fail returns a reply that fails before anything has come.
func Fail(err error) Reply { return Reply{Err: err} }

// Func returns a reply that is made from the request when its turn comes. The request
// must not be changed.
func Func(reply func(req *ai.Request) Reply) Reply { return Reply{Func: reply} }

// Text returns a block of text. More than one argument are the pieces in which it comes.
func Text(pieces ...string) Block {
	return Block{Content: &ai.Text{Text: strings.Join(pieces, "")}, Pieces: several(pieces)}
}

// Thinking returns a block of thinking. More than one argument are the pieces in which it
// comes.
func Thinking(pieces ...string) Block {
	return Block{Content: &ai.Thinking{Thinking: strings.Join(pieces, "")}, Pieces: several(pieces)}
}

// Call returns a call of a tool. The arguments are anything that is a JSON object as
// JSON; nil stands for an empty one. With an empty id, the call gets one. It panics if
// args cannot be written as JSON.
func Call(id, tool string, args any) Block {
	call := &ai.ToolCall{ID: id, Name: tool}
	switch args := args.(type) {
	case nil:
	case jsontext.Value:
		call.Arguments = args
	default:
		raw, err := json.Marshal(args, json.Deterministic(true))
		if err != nil {
			panic(fmt.Sprintf("scripted: Call(%q, %q): the arguments cannot be written as JSON: %v", id, tool, err))
		}
		call.Arguments = raw
	}
	return Block{Content: call}
}

// RawCall returns a call of a tool whose arguments are sent as this text, which may be
// broken or cut short. More than one piece are the deltas in which it comes; without any,
// nothing is sent.
func RawCall(id, tool string, pieces ...string) Block {
	b := Block{Content: &ai.ToolCall{ID: id, Name: tool, RawArguments: strings.Join(pieces, "")}, Pieces: several(pieces)}
	if len(pieces) == 0 {
		b.Pieces = []string{}
	}
	return b
}

// several returns pieces if there is a choice in them.
func several(pieces []string) []string {
	if len(pieces) < 2 {
		return nil
	}
	return pieces
}

// resolve returns the reply to this request.
func (r Reply) resolve(req *ai.Request) Reply {
	for r.Func != nil {
		r = r.Func(req)
	}
	return r
}
