package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

// maxHeld is how many lines are read on while a command holds back others.
const maxHeld = 256

// work handles the lines in their order until there are no more, or until ctx is done, in
// which case it returns false.
//
// While the session is being replaced, commands are held back: they are for the new one.
// Lines are read on nevertheless, since the replacement may wait for what a client answers.
func (c *connection) work(ctx context.Context, lines <-chan []byte) (ended bool) {
	var held [][]byte
	replaced := make(chan struct{}) // nil unless the session is being replaced, or begins
	c.waiting.Go(func() {
		defer close(replaced)
		c.attach(ctx)
	})
	for lines != nil || replaced != nil || len(held) > 0 {
		if replaced == nil && len(held) > 0 {
			line := held[0]
			held = held[1:]
			replaced = c.handle(ctx, line)
			continue
		}
		in := lines
		if len(held) >= maxHeld {
			in = nil
		}
		select {
		case next, ok := <-in:
			switch {
			case !ok:
				lines = nil
				c.ui.end()
			case isUIAnswer(next):
				c.ui.answer(next)
			case replaced != nil:
				held = append(held, next)
			default:
				replaced = c.handle(ctx, next)
			}
		case <-replaced:
			replaced = nil
		case <-c.left:
			c.ui.end()
			return false
		case <-ctx.Done():
			c.ui.end()
			if replaced != nil {
				<-replaced
			}
			return false
		}
	}
	return true
}

// isUIAnswer reports whether a line answers a dialog. It is no command and gets no response.
func isUIAnswer(line []byte) bool {
	if !bytes.Contains(line, []byte(proto.TypeUIAnswer)) {
		return false
	}
	var envelope struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(line, &envelope, lenient) == nil && envelope.Type == proto.TypeUIAnswer
}

// handle answers a line, now or later. If the command replaces the session, the channel that
// it returns is closed when that is done.
func (c *connection) handle(ctx context.Context, line []byte) (replaced chan struct{}) {
	req, err := c.parse(line)
	if err != nil {
		c.out.response(&response{ID: req.ID, Command: "parse", Error: fmt.Sprintf("this line is no command: %v; send one JSON object a line, such as {\"type\":\"get_state\"}", err)})
		return nil
	}
	cmd, known := commands[req.Type]
	if !known {
		c.out.response(&response{ID: req.ID, Command: req.Type, Error: fmt.Sprintf("unknown command %q", req.Type)})
		return nil
	}
	on := &call{connection: c, session: c.runtime.Session(), id: req.ID, name: req.Type}
	switch cmd.mode {
	case replaces:
		replaced = make(chan struct{})
		c.waiting.Go(func() {
			defer close(replaced)
			on.answer(ctx, cmd, req.raw)
		})
	case waits:
		c.waiting.Go(func() { on.answer(ctx, cmd, req.raw) })
	case atOnce, ofConnection:
		on.answer(ctx, cmd, req.raw)
	}
	return replaced
}

// answer runs a command and sends its response.
func (c *call) answer(ctx context.Context, cmd *command, fields jsontext.Value) {
	data, err := cmd.run(ctx, c, fields)
	if cmd.mode == replaces {
		c.carryOver()
	}
	if errors.Is(err, errAnswered) {
		return
	}
	r := &response{ID: c.id, Command: c.name, Success: err == nil, Data: data}
	if err != nil {
		r.Data, r.Error = nil, err.Error()
	}
	c.out.response(r)
}
