package scripted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/ai"
)

// maxPiece bounds the pieces of text that comes word by word, in characters.
const maxPiece = 16

// charsPerToken is Pi's estimate.
const charsPerToken = 4

// errScripted is the failure of a reply that asks to fail without saying how.
var errScripted = errors.New("the script lets this answer fail")

// player plays one reply.
type player struct {
	w     *ai.Writer
	reply *Reply
	wait  func(ctx context.Context, gate string) error
	usage ai.Usage // of the prompt
	ids   ids

	gates []Gate // not passed yet, in their order
	sent  int    // pieces
	chars int    // of the answer, in UTF-16 as Pi counts
	calls bool
}

func (p *player) play(ctx context.Context) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	r := p.reply
	if len(r.Blocks) == 0 && r.Err != nil {
		return r.Err
	}
	p.w.SetUsage(p.counts())
	p.w.Start()
	for _, b := range r.Blocks {
		if err := p.block(ctx, b); err != nil {
			return p.failed(err)
		}
	}
	for _, gate := range p.gates {
		if err := p.wait(ctx, gate.Name); err != nil {
			return p.failed(err)
		}
	}
	return p.end(ctx)
}

// begin is what comes before the first event.
func (p *player) begin(ctx context.Context) error {
	p.gates = slices.Clone(p.reply.Gates)
	slices.SortStableFunc(p.gates, func(a, b Gate) int { return cmp.Compare(a.At, b.At) })
	if p.reply.Hold != "" {
		if err := p.wait(ctx, p.reply.Hold); err != nil {
			return err
		}
	}
	return pause(ctx, p.reply.Latency)
}

func (p *player) block(ctx context.Context, b Block) error {
	if err := p.pass(ctx); err != nil {
		return err
	}
	i, text, err := p.open(b.Content)
	if err != nil {
		return err
	}
	pieces := b.Pieces
	if pieces == nil {
		pieces = cut(text, p.reply.Chunks)
	}
	for _, piece := range pieces {
		if err := p.piece(ctx, i, piece); err != nil {
			return err
		}
	}
	p.w.End(i)
	return nil
}

// open begins a block and returns its index and its text.
func (p *player) open(content ai.Block) (i int, text string, err error) {
	var signature string
	switch b := content.(type) {
	case *ai.Text:
		i, text, signature = p.w.StartText(), b.Text, b.Signature
	case *ai.Thinking:
		i, text, signature = p.w.StartThinking(), b.Thinking, b.Signature
		if b.Redacted {
			p.w.SetRedacted(i)
		}
	case *ai.ToolCall:
		p.calls = true
		p.chars += utf16Len(b.Name)
		i, text, signature = p.w.StartToolCall(p.ids.of(b.ID), b.Name), argumentsOf(b), b.ThoughtSignature
	default:
		return 0, "", fmt.Errorf("a scripted reply can hold text, thinking and tool calls, but one has a block %T", content)
	}
	if signature != "" {
		p.w.SetSignature(i, signature)
	}
	return i, text, nil
}

func argumentsOf(call *ai.ToolCall) string {
	switch {
	case call.RawArguments != "":
		return call.RawArguments
	case len(call.Arguments) > 0:
		return string(call.Arguments)
	}
	return "{}"
}

func (p *player) piece(ctx context.Context, block int, piece string) error {
	if p.reply.CutAt > 0 && p.sent >= p.reply.CutAt {
		return p.cutError()
	}
	if err := p.pass(ctx); err != nil {
		return err
	}
	if err := pause(ctx, p.reply.pause(piece)); err != nil {
		return err
	}
	p.w.Append(block, piece)
	p.sent++
	p.chars += utf16Len(piece)
	return nil
}

func (p *player) cutError() error {
	if p.reply.Err != nil {
		return p.reply.Err
	}
	return ai.ErrUnterminated
}

// pass waits at the gates before the next piece.
func (p *player) pass(ctx context.Context) error {
	for len(p.gates) > 0 && p.gates[0].At <= p.sent {
		gate := p.gates[0]
		p.gates = p.gates[1:]
		if err := p.wait(ctx, gate.Name); err != nil {
			return err
		}
	}
	return nil
}

// pause returns how long to wait before a piece.
func (r *Reply) pause(piece string) time.Duration {
	if r.TokensPerSecond <= 0 {
		return r.Pace
	}
	tokens := float64(utf16Len(piece)) / charsPerToken
	return r.Pace + time.Duration(tokens/r.TokensPerSecond*float64(time.Second))
}

func (p *player) end(ctx context.Context) error {
	r := p.reply
	switch {
	case ctx.Err() != nil:
		return p.failed(aborted(ctx))
	case r.CutAt > 0:
		return p.failed(p.cutError())
	case r.Err != nil:
		return p.failed(r.Err)
	case r.Stop == ai.StopError, r.Stop == ai.StopPending:
		return p.failed(errScripted)
	}
	p.w.SetUsage(p.counts())
	switch {
	case r.Stop == ai.StopAborted:
		p.abort()
	case r.Stop != "":
		p.w.Done(r.Stop)
	case p.calls:
		p.w.Done(ai.StopToolUse)
	default:
		p.w.Done(ai.StopEnd)
	}
	return nil
}

// abort ends the answer as if somebody had aborted it.
func (p *player) abort() {
	m := p.w.Message()
	m.StopReason, m.Err, m.ErrorMessage = ai.StopAborted, errScripted, errScripted.Error()
	p.w.DoneWith(m)
}

// failed counts what has come before err is reported.
func (p *player) failed(err error) error {
	p.w.SetUsage(p.counts())
	return err
}

// counts returns the usage up to here.
func (p *player) counts() ai.Usage {
	if p.reply.Usage != nil {
		return *p.reply.Usage
	}
	u := p.usage
	u.Output = (p.chars + charsPerToken - 1) / charsPerToken
	return u
}

// pause waits for d; its error means that ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return aborted(ctx)
	}
	return nil
}

func aborted(ctx context.Context) error {
	return fmt.Errorf("the request was aborted: %w", context.Cause(ctx))
}

// cut divides text into n pieces of about the same number of characters, or word by word
// if n is 0.
func cut(text string, n int) []string {
	if n <= 0 {
		return words(text)
	}
	left := utf8.RuneCountInString(text)
	var pieces []string
	for ; left > 0; n-- {
		size := (left + n - 1) / n
		end := byteIndex(text, size)
		pieces = append(pieces, text[:end])
		text, left = text[end:], left-size
	}
	return pieces
}

// words divides text before the blanks between words, and where a piece gets too long.
func words(text string) []string {
	var pieces []string
	start, size, blank := 0, 0, true
	for i, r := range text {
		space := unicode.IsSpace(r)
		if size == maxPiece || space && !blank {
			pieces = append(pieces, text[start:i])
			start, size = i, 0
		}
		size++
		blank = space
	}
	if start < len(text) {
		pieces = append(pieces, text[start:])
	}
	return pieces
}

// byteIndex returns where the n-th rune of text begins.
func byteIndex(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// ids makes ids of tool calls that a conversation does not have yet.
type ids struct {
	prefix string
	used   map[string]bool
}

func newIDs(prefix string, req *ai.Request) ids {
	used := make(map[string]bool)
	for _, m := range req.Context.Messages {
		if answer, ok := m.(*ai.AssistantMessage); ok {
			for _, call := range answer.Content.ToolCalls() {
				used[call.ID] = true
			}
		}
	}
	return ids{prefix, used}
}

// of returns id, or a new one if it is empty.
func (s ids) of(id string) string {
	for n := len(s.used) + 1; id == ""; n++ {
		if next := s.prefix + strconv.Itoa(n); !s.used[next] {
			id = next
		}
	}
	s.used[id] = true
	return id
}
