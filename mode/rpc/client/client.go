package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

// CommandError is the answer to a command that failed. The agent goes on.
type CommandError struct {
	Command string
	Message string
}

// Error is the agent's own explanation.
func (e *CommandError) Error() string { return e.Command + ": " + e.Message }

// EndedError means that the agent has ended, so that no command can be answered any more.
type EndedError struct {
	// Err says why: the error of the process, of reading or of writing; nil if it was
	// closed.
	Err error
	// Stderr is the end of what the process wrote to standard error.
	Stderr string
}

// Error has what the process said last.
func (e *EndedError) Error() string {
	text := "the agent has ended"
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Stderr != "" {
		text += "\n" + e.Stderr
	}
	return text
}

// Unwrap returns the cause.
func (e *EndedError) Unwrap() error { return e.Err }

// Client is a connection to an agent. Make one with [Start] or [New].
type Client struct {
	in    io.WriteCloser
	write sync.Mutex
	read  chan struct{} // closed when nothing is read any more
	ended func(error) *EndedError
	kill  func() // nil if the agent is no process of ours

	mu      sync.Mutex
	next    int
	pending map[string]chan<- response
	subs    []*subscriber // copied on write
	end     *EndedError   // nil while the agent runs
}

type subscriber struct{ fn func(proto.Event) }

// New returns a client of an agent that reads commands from in and writes to out. It reads
// out until that ends.
func New(in io.WriteCloser, out io.Reader) *Client {
	return newClient(in, out, nil, func(err error) *EndedError { return &EndedError{Err: err} })
}

// newClient returns a client; ended is called once, when out has ended. kill may be nil.
func newClient(in io.WriteCloser, out io.Reader, kill func(), ended func(error) *EndedError) *Client {
	c := &Client{in: in, kill: kill, read: make(chan struct{}), ended: ended, pending: make(map[string]chan<- response)}
	go func() { // ends with out; Close waits for it
		defer close(c.read)
		c.fail(c.receive(out))
	}()
	return c
}

// Subscribe adds a subscriber, which gets every event. The returned function removes it.
func (c *Client) Subscribe(fn func(proto.Event)) (unsubscribe func()) {
	sub := &subscriber{fn}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subs = append(slices.Clone(c.subs), sub)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.subs = slices.DeleteFunc(slices.Clone(c.subs), func(s *subscriber) bool { return s == sub })
	}
}

// line is what all lines of the agent have.
type line struct {
	Type string         `json:"type"`
	ID   jsontext.Value `json:"id"`
}

type response struct {
	Success bool           `json:"success"`
	Data    jsontext.Value `json:"data"`
	Error   string         `json:"error"`
}

// receive delivers what the agent writes, until it ends.
func (c *Client) receive(out io.Reader) error {
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		text, err := r.ReadBytes('\n')
		if text = bytes.TrimSpace(text); len(text) > 0 {
			c.take(text)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take takes one line. One that is no JSON is passed over: something else has written it.
func (c *Client) take(text []byte) {
	var l line
	if proto.Unmarshal(text, &l) != nil {
		return
	}
	if l.Type == "response" {
		c.answer(l.ID, text)
		return
	}
	c.mu.Lock()
	subs := c.subs
	c.mu.Unlock()
	if len(subs) == 0 {
		return
	}
	ev, _ := proto.DecodeEvent(text) // one that cannot be read is an [*proto.Unknown]
	if ev == nil {
		return
	}
	for _, sub := range subs {
		sub.fn(ev)
	}
}

func (c *Client) answer(id jsontext.Value, text []byte) {
	var r response
	if err := proto.Unmarshal(text, &r); err != nil {
		r = response{Error: "the response cannot be read: " + err.Error()}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if waiting := c.pending[string(id)]; waiting != nil {
		delete(c.pending, string(id))
		waiting <- r
	}
}

// fail ends all commands that wait: no response comes any more.
func (c *Client) fail(cause error) {
	end := c.ended(cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = end
	for id, waiting := range c.pending {
		delete(c.pending, id)
		close(waiting)
	}
}

// Do sends a command of the table and waits for its answer. Errors are a [*CommandError], an
// [*EndedError] and ctx's. After ctx's the command may still take effect.
//
//	model, err := client.Do(ctx, c, proto.SetModel, proto.ModelName{Provider: "openai", ModelID: "gpt-5.5"})
func Do[Request, Answer any](ctx context.Context, c *Client, command proto.Command[Request, Answer], req Request) (Answer, error) {
	var answer Answer
	err := c.Call(ctx, command.Name(), req, &answer)
	return answer, err
}

// Call sends a command by its name, such as one that package proto does not have, and waits for
// its response. fields are those of the command, a struct or a map, or nil; the response's data is
// read into data, unless that is nil. Errors are those of [Do].
func (c *Client) Call(ctx context.Context, command string, fields, data any) error {
	waiting := make(chan response, 1)
	id, err := c.send(command, fields, waiting)
	if err != nil {
		return err
	}
	select {
	case r, ok := <-waiting:
		switch {
		case !ok:
			return c.ending()
		case !r.Success:
			return &CommandError{command, r.Error}
		case data == nil || len(r.Data) == 0:
			return nil
		}
		if err := proto.Unmarshal(r.Data, data); err != nil {
			return fmt.Errorf("read the response to %s: %w", command, err)
		}
		return nil
	case <-ctx.Done():
		c.forget(id)
		return ctx.Err()
	}
}

// send writes a command whose response goes to waiting.
func (c *Client) send(command string, fields any, waiting chan<- response) (id string, err error) {
	c.write.Lock()
	defer c.write.Unlock()
	c.mu.Lock()
	if c.end != nil {
		defer c.mu.Unlock()
		return "", c.end
	}
	c.next++
	id = strconv.Itoa(c.next)
	c.pending[id] = waiting
	c.mu.Unlock()
	text, err := encode(id, command, fields)
	if err == nil {
		if _, err = c.in.Write(append(text, '\n')); err == nil {
			return id, nil
		}
		select { // an agent that does not read is about to end
		case <-c.read:
			return "", c.ending()
		case <-time.After(time.Second):
			err = &EndedError{Err: err}
		}
	}
	c.forget(id)
	return "", err
}

// encode makes a line of a command.
func encode(id, command string, fields any) ([]byte, error) {
	body := []byte("{}")
	if fields != nil {
		var err error
		if body, err = proto.Marshal(fields); err != nil {
			return nil, fmt.Errorf("write the command %s: %w", command, err)
		}
	}
	text := []byte(`{"id":` + id + `,"type":"` + command + `"`)
	if len(body) > len("{}") {
		text = append(text, ',')
	}
	return append(text, body[1:]...), nil
}

func (c *Client) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

func (c *Client) ending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// Answer answers a dialog. There is no response; an answer that comes too late is ignored.
func (c *Client) Answer(dialog *proto.UIRequest, answer proto.UIAnswer) error {
	text, err := proto.Marshal(struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		proto.UIAnswer
	}{proto.TypeUIAnswer, dialog.ID, answer})
	if err != nil {
		return fmt.Errorf("answer a dialog: %w", err)
	}
	c.write.Lock()
	defer c.write.Unlock()
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		return &EndedError{Err: err}
	}
	return nil
}

// Kill ends a process that was started, at once: what it does is lost. Other agents are left
// alone. [Client.Close] is still to be called.
func (c *Client) Kill() {
	if c.kill != nil {
		c.kill()
	}
}

// Close ends the agent's input, so that it stores what has come of a run and ends, and waits
// for that. The error is that of a process that did not end well.
func (c *Client) Close() error {
	err := c.in.Close()
	<-c.read
	if end := c.ending(); end != nil {
		if cause := errors.Unwrap(end); cause != nil {
			return end
		}
	}
	return err
}
