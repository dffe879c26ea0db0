package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
)

// NewPrompt makes the prompt of a message of a client. It returns an error if there is nothing
// in it, or for an image without data or type.
func NewPrompt(text string, images []*ai.Image) (session.Prompt, error) {
	p := session.Prompt{Text: text, Images: images, Source: extension.SourceRPC}
	if text == "" && len(images) == 0 {
		return p, errors.New("there is nothing in it: give a message, or images")
	}
	for n, i := range images {
		if i == nil || i.Data == "" || i.MIMEType == "" {
			return p, fmt.Errorf("images.%d needs data, in base64, and mimeType", n)
		}
	}
	return p, nil
}

// DeliveryOf returns what is to become of a prompt that comes while the agent works.
func DeliveryOf(d proto.Delivery) (session.Delivery, error) {
	switch d := session.Delivery(d); d {
	case "", session.Steer, session.FollowUp, session.Interrupt:
		return d, nil
	default:
		return "", fmt.Errorf("unknown streamingBehavior %q: use %q, %q or %q", d, session.Steer, session.FollowUp, session.Interrupt)
	}
}

// prompt answers when the prompt is accepted, before the first event that it causes.
func prompt(_ context.Context, c *call, req proto.PromptRequest) (*proto.PromptAnswer, error) {
	p, err := NewPrompt(req.Message, req.Images)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	if p.WhileBusy, err = DeliveryOf(req.StreamingBehavior); err != nil {
		return nil, err
	}
	p.Accepted = func(d session.Disposition) {
		r := &response{ID: c.id, Command: c.name, Success: true}
		if req.Disposition {
			r.Data = proto.PromptAnswer{Disposition: string(d)}
		}
		c.out.response(r)
	}
	if !c.session.MayBlock(p) {
		if _, err := c.session.Start(p); err != nil {
			return nil, err
		}
		return nil, errAnswered
	}
	// Extensions may ask the client, whose answers have to be read meanwhile.
	c.prompts.Add(1)
	c.waiting.Go(func() {
		defer c.prompts.Done()
		if _, err := c.session.Start(p); err != nil {
			c.out.response(&response{ID: c.id, Command: c.name, Error: err.Error()})
		}
		if c.runtime.Session() != c.session {
			c.carryOver()
		}
	})
	return nil, errAnswered
}

// queue returns the handler of the commands that queue a message.
func queue(d session.Delivery) handler[proto.QueueRequest, proto.None] {
	return func(_ context.Context, c *call, req proto.QueueRequest) (none proto.None, err error) {
		p, err := NewPrompt(req.Message, req.Images)
		if err != nil {
			return none, fmt.Errorf("%s: %w", c.name, err)
		}
		p.SkipInput = true
		return none, c.session.Queue(p, d)
	}
}

func clearQueue(_ context.Context, c *call, _ proto.None) (q proto.Queues, err error) {
	q.Steering, q.FollowUp = c.session.ClearQueue()
	return q, nil
}

func abort(ctx context.Context, c *call, _ proto.None) (none proto.None, err error) {
	compacting := c.compact.Load()
	if err := c.session.Abort(ctx); err != nil || compacting == nil {
		return none, err
	}
	select { // the compaction that was aborted is answered before the abort
	case <-compacting.answered:
	case <-ctx.Done():
	}
	return none, ctx.Err()
}

// queueMode reads the mode of a queue.
func (c *call) queueMode(req proto.ModeRequest) (agent.QueueMode, error) {
	if req.Mode == "" {
		return "", c.missing("mode", fmt.Sprintf("use %q or %q", agent.OneAtATime, agent.All))
	}
	return agent.QueueMode(req.Mode), nil
}

func setSteeringMode(_ context.Context, c *call, req proto.ModeRequest) (none proto.None, err error) {
	mode, err := c.queueMode(req)
	if err != nil {
		return none, err
	}
	if err := c.session.SetQueueModes(mode, ""); err != nil {
		return none, err
	}
	return none, c.opts.Settings.Save("steeringMode", mode)
}

func setFollowUpMode(_ context.Context, c *call, req proto.ModeRequest) (none proto.None, err error) {
	mode, err := c.queueMode(req)
	if err != nil {
		return none, err
	}
	if err := c.session.SetQueueModes("", mode); err != nil {
		return none, err
	}
	return none, c.opts.Settings.Save("followUpMode", mode)
}

// StateOf returns what the agent of a session looks like.
func StateOf(s *session.Session) (proto.State, error) {
	st := s.State()
	name, err := s.Name()
	return proto.State{
		Model: st.Model, ThinkingLevel: st.Thinking, IsStreaming: st.Busy, IsCompacting: st.Compacting,
		SteeringMode: proto.QueueMode(st.SteeringMode), FollowUpMode: proto.QueueMode(st.FollowUpMode),
		SessionFile: s.Store().Path(), SessionID: s.ID(), SessionName: name,
		AutoCompactionEnabled: st.AutoCompaction, MessageCount: st.Messages, PendingMessageCount: st.Pending,
	}, err
}

func getState(_ context.Context, c *call, _ proto.None) (proto.State, error) {
	return StateOf(c.session)
}

func getMessages(_ context.Context, c *call, _ proto.None) (proto.Messages, error) {
	messages := []proto.Message{}
	for _, m := range c.session.Messages() {
		messages = append(messages, m)
	}
	return proto.Messages{Messages: messages}, nil
}

func getLastAssistantText(_ context.Context, c *call, _ proto.None) (answer proto.LastAnswer, err error) {
	if last := c.session.LastAnswer(); last != nil {
		answer.Text = last.Content.Text()
	}
	return answer, nil
}

func bash(ctx context.Context, c *call, req proto.BashRequest) (*proto.BashResult, error) {
	if req.Command == "" {
		return nil, c.missing("command", "give it a shell command")
	}
	r, err := c.session.RunBash(ctx, session.BashCommand{Text: req.Command, Hidden: req.ExcludeFromContext, ID: c.id})
	if err != nil {
		return nil, err
	}
	return &proto.BashResult{
		Output: r.Output, ExitCode: r.ExitCode, Cancelled: r.Cancelled, Truncated: r.Truncated, FullOutputPath: r.FullOutputPath,
	}, nil
}

func abortBash(_ context.Context, c *call, _ proto.None) (none proto.None, err error) {
	c.session.AbortBash()
	return none, nil
}

func getCommands(_ context.Context, c *call, _ proto.None) (proto.PromptCommands, error) {
	list := []proto.PromptCommand{}
	for _, info := range c.session.CommandInfos() {
		list = append(list, proto.PromptCommand{
			Name: info.Name, Description: info.Description, Source: info.Source, SourceInfo: proto.SourceInfo(info.SourceInfo),
		})
	}
	return proto.PromptCommands{Commands: list}, nil
}
