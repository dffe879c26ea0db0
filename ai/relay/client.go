package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/sse"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// New returns a stream function that asks through the relay at url, the address that
// [Path] is below. The token is the relay's; the request's own APIKey is not used and
// does not leave the program.
//
// Of [ai.Options], Client, MaxRetries, MaxRetryDelay, Timeout, IdleTimeout and the hooks
// are about the connection to the relay.
func New(url, token string) ai.StreamFunc {
	address := strings.TrimRight(url, "/") + Path
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
			return ask(ctx, address, token, req, w)
		})
	}
}

func ask(ctx context.Context, address, token string, req *ai.Request, w *ai.Writer) error {
	sent := time.Now()
	header := http.Header{"Authorization": {"Bearer " + token}}
	resp, err := wire.Post(ctx, connection(req), address, header, newRequest(req))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	d := &decoder{w: w, blocks: make(map[int]*received)}
	err = d.read(resp.Body)
	if err != nil || d.end == nil {
		return err
	}
	if ctx.Err() != nil && d.end.Type == ai.EventError {
		return context.Cause(ctx) // the reader's own doing, whatever the relay made of it
	}
	if d.end.Type == ai.EventDone {
		w.Start()
		w.EndAll()
	}
	m := w.Message()
	m.DurationMs = time.Since(sent).Milliseconds()
	d.end.apply(m)
	w.DoneWith(m)
	return nil
}

// connection returns the request as far as it is about the connection to the relay:
// headers are for the model's service and go into the body.
func connection(req *ai.Request) *ai.Request {
	out := *req
	model := *req.Model
	model.Headers = nil
	out.Model = &model
	out.Options.APIKey = ""
	out.Options.Headers = nil
	return &out
}

// decoder turns the relay's events into a writer's calls.
type decoder struct {
	w      *ai.Writer
	blocks map[int]*received // by the index on the wire
	end    *ending
}

// received is a block that has begun.
type received struct {
	at     int // its index in the message
	deltas bool
}

func (d *decoder) read(r io.Reader) error {
	events := sse.NewReader(r)
	for d.end == nil && !d.w.Ended() {
		ev, err := events.Next()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the relay's answer ended without a done or error event: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return fmt.Errorf("the relay's answer broke off: %w", err)
		}
		if err := d.event(ev.Data); err != nil {
			return fmt.Errorf("read the relay's answer: %w", err)
		}
	}
	return nil
}

// event is an event of any type, as far as a block is concerned.
type event struct {
	Type         string `json:"type"`
	ContentIndex int    `json:"contentIndex"`
	Delta        string `json:"delta"`
	ID           string `json:"id"`
	ToolName     string `json:"toolName"`
	Signature    string `json:"contentSignature"`
	Redacted     bool   `json:"redacted"`
	// Content is a text here; the last event has an array of this name.
	Content   jsontext.Value `json:"content"`
	ToolCall  jsontext.Value `json:"toolCall"`
	Arguments *string        `json:"arguments"`
}

// event handles one event. Types that are not known are ignored.
func (d *decoder) event(data []byte) error {
	var ev event
	if err := json.Unmarshal(data, &ev, wire.Lax); err != nil {
		return err
	}
	switch ev.Type {
	case ai.EventStart:
		d.w.Start()
	case ai.EventTextStart:
		d.blocks[ev.ContentIndex] = &received{at: d.w.StartText()}
	case ai.EventThinkingStart:
		d.blocks[ev.ContentIndex] = &received{at: d.w.StartThinking()}
	case ai.EventToolCallStart:
		d.blocks[ev.ContentIndex] = &received{at: d.w.StartToolCall(ev.ID, ev.ToolName)}
	case ai.EventTextDelta, ai.EventThinkingDelta, ai.EventToolCallDelta,
		ai.EventTextEnd, ai.EventThinkingEnd, ai.EventToolCallEnd:
		block := d.blocks[ev.ContentIndex]
		if block == nil {
			return fmt.Errorf("%s for content block %d, which has not begun", ev.Type, ev.ContentIndex)
		}
		return d.change(block, &ev)
	case ai.EventDone, ai.EventError:
		return d.terminal(data)
	}
	return nil
}

func (d *decoder) change(block *received, ev *event) error {
	switch ev.Type {
	case ai.EventTextEnd, ai.EventThinkingEnd:
		return d.endText(block.at, ev)
	case ai.EventToolCallEnd:
		return d.endCall(block, ev)
	}
	block.deltas = block.deltas || ev.Delta != ""
	d.w.Append(block.at, ev.Delta)
	return nil
}

func (d *decoder) endText(i int, ev *event) error {
	if ev.Content.Kind() == '"' {
		var text string
		if err := json.Unmarshal(ev.Content, &text, wire.Lax); err != nil {
			return err
		}
		d.w.SetText(i, text)
	}
	d.w.SetSignature(i, ev.Signature)
	if ev.Redacted {
		d.w.SetRedacted(i)
	}
	d.w.End(i)
	return nil
}

func (d *decoder) endCall(block *received, ev *event) error {
	if ev.ToolCall.Kind() == '{' {
		var call ai.ToolCall
		if err := json.Unmarshal(ev.ToolCall, &call, wire.Lax); err != nil {
			return err
		}
		d.w.SetToolCall(block.at, call.ID, call.Name)
		d.w.SetSignature(block.at, call.ThoughtSignature)
		if !block.deltas {
			d.w.SetArguments(block.at, string(call.Arguments))
		}
	}
	if ev.Arguments != nil {
		d.w.SetArguments(block.at, *ev.Arguments)
	}
	d.w.End(block.at)
	return nil
}

func (d *decoder) terminal(data []byte) error {
	end := new(ending)
	if err := json.Unmarshal(data, end, wire.Lax); err != nil {
		return err
	}
	switch {
	case end.Type == ai.EventError && end.Reason != ai.StopAborted:
		end.Reason = ai.StopError
	case end.Type == ai.EventDone && (end.Reason == "" || end.Reason == ai.StopError || end.Reason == ai.StopAborted):
		return fmt.Errorf("its done event has the reason %q", end.Reason)
	}
	d.end = end
	return nil
}
