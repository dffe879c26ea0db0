package client

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/transcript"
)

// Prompt is a message of the user.
type Prompt struct {
	Message string      `json:"message"`
	Images  []*ai.Image `json:"images,omitzero"`
	// WhileBusy says what becomes of it while the agent works; empty refuses it then.
	// [session.Interrupt] is for agents of Rondo's.
	WhileBusy session.Delivery `json:"streamingBehavior,omitzero"`
}

// State is what the agent looks like.
type State struct {
	Model                 *ai.Model        `json:"model"` // nil if none is selected
	ThinkingLevel         ai.ThinkingLevel `json:"thinkingLevel"`
	IsStreaming           bool             `json:"isStreaming"`
	IsCompacting          bool             `json:"isCompacting"`
	SteeringMode          agent.QueueMode  `json:"steeringMode"`
	FollowUpMode          agent.QueueMode  `json:"followUpMode"`
	SessionFile           string           `json:"sessionFile"`
	SessionID             string           `json:"sessionId"`
	SessionName           string           `json:"sessionName"`
	AutoCompactionEnabled bool             `json:"autoCompactionEnabled"`
	MessageCount          int              `json:"messageCount"`
	PendingMessageCount   int              `json:"pendingMessageCount"`
}

// Command is what a prompt may begin with, behind a slash.
type Command struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Source      string         `json:"source"`
	SourceInfo  jsontext.Value `json:"sourceInfo"`
}

// Node is an entry and those below it.
type Node struct {
	Entry    jsontext.Value `json:"entry"` // see [transcript.DecodeEntry]
	Children []*Node        `json:"children"`
	Label    string         `json:"label"`
}

// Prompt sends a message and returns when it is accepted; see [Client.Run].
func (c *Client) Prompt(ctx context.Context, p Prompt) error { return c.Do(ctx, "prompt", p, nil) }

// Run sends a message and returns when the agent has settled.
func (c *Client) Run(ctx context.Context, p Prompt) error {
	settled := make(chan struct{})
	var once sync.Once
	leave := c.Subscribe(func(ev Event) {
		if ev.Type == event.EventAgentSettled {
			once.Do(func() { close(settled) })
		}
	})
	defer leave()
	if err := c.Prompt(ctx, p); err != nil {
		return err
	}
	select {
	case <-settled:
		return nil
	case <-c.read:
		return c.ending()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Steer queues a message for the agent's next request.
func (c *Client) Steer(ctx context.Context, p Prompt) error { return c.Do(ctx, "steer", p, nil) }

// FollowUp queues a message for when the agent would stop.
func (c *Client) FollowUp(ctx context.Context, p Prompt) error {
	return c.Do(ctx, "follow_up", p, nil)
}

// Abort ends what the agent does and returns when it has settled.
func (c *Client) Abort(ctx context.Context) error { return c.Do(ctx, "abort", nil, nil) }

// ClearQueue empties the queues and returns what was in them.
func (c *Client) ClearQueue(ctx context.Context) (steering, followUp []string, err error) {
	var data event.QueueUpdate
	err = c.Do(ctx, "clear_queue", nil, &data)
	return data.Steering, data.FollowUp, err
}

// State returns the agent's state.
func (c *Client) State(ctx context.Context) (*State, error) {
	return get[State](ctx, c, "get_state", nil)
}

// Messages returns the conversation.
func (c *Client) Messages(ctx context.Context) ([]agent.Message, error) {
	var data struct {
		Messages []jsontext.Value `json:"messages"`
	}
	if err := c.Do(ctx, "get_messages", nil, &data); err != nil {
		return nil, err
	}
	var messages []agent.Message
	for _, raw := range data.Messages {
		m, err := agent.DecodeMessage(raw)
		if err != nil {
			return nil, fmt.Errorf("read a message: %w", err)
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// LastAnswer returns the text of the newest answer; empty if there is none.
func (c *Client) LastAnswer(ctx context.Context) (string, error) {
	var data struct {
		Text string `json:"text"`
	}
	err := c.Do(ctx, "get_last_assistant_text", nil, &data)
	return data.Text, err
}

// AvailableModels returns the models that can be asked.
func (c *Client) AvailableModels(ctx context.Context) ([]*ai.Model, error) {
	var data struct {
		Models []*ai.Model `json:"models"`
	}
	err := c.Do(ctx, "get_available_models", nil, &data)
	return data.Models, err
}

// SetModel chooses a model.
func (c *Client) SetModel(ctx context.Context, provider, id string) (*ai.Model, error) {
	return get[ai.Model](ctx, c, "set_model", map[string]string{"provider": provider, "modelId": id})
}

// CycleModel goes to the next model; nil if there is no other one.
func (c *Client) CycleModel(ctx context.Context) (*session.CycledModel, error) {
	var next *session.CycledModel
	err := c.Do(ctx, "cycle_model", nil, &next)
	return next, err
}

// ThinkingLevels returns the levels that the model knows.
func (c *Client) ThinkingLevels(ctx context.Context) ([]ai.ThinkingLevel, error) {
	var data struct {
		Levels []ai.ThinkingLevel `json:"levels"`
	}
	err := c.Do(ctx, "get_available_thinking_levels", nil, &data)
	return data.Levels, err
}

// SetThinking chooses how much the model thinks.
func (c *Client) SetThinking(ctx context.Context, level ai.ThinkingLevel) error {
	return c.Do(ctx, "set_thinking_level", map[string]ai.ThinkingLevel{"level": level}, nil)
}

// CycleThinking goes to the next level; empty if the model cannot think.
func (c *Client) CycleThinking(ctx context.Context) (ai.ThinkingLevel, error) {
	var data struct {
		Level ai.ThinkingLevel `json:"level"`
	}
	err := c.Do(ctx, "cycle_thinking_level", nil, &data)
	return data.Level, err
}

// SetSteeringMode says how many steering messages are delivered at one point.
func (c *Client) SetSteeringMode(ctx context.Context, mode agent.QueueMode) error {
	return c.Do(ctx, "set_steering_mode", map[string]agent.QueueMode{"mode": mode}, nil)
}

// SetFollowUpMode says how many follow-ups are delivered at one point.
func (c *Client) SetFollowUpMode(ctx context.Context, mode agent.QueueMode) error {
	return c.Do(ctx, "set_follow_up_mode", map[string]agent.QueueMode{"mode": mode}, nil)
}

// Compact replaces the older part of the conversation by a summary. The instructions may be
// empty.
func (c *Client) Compact(ctx context.Context, instructions string) (*compaction.Result, error) {
	return get[compaction.Result](ctx, c, "compact", map[string]string{"customInstructions": instructions})
}

// SetAutoCompaction switches automatic compaction.
func (c *Client) SetAutoCompaction(ctx context.Context, on bool) error {
	return c.Do(ctx, "set_auto_compaction", map[string]bool{"enabled": on}, nil)
}

// SetAutoRetry switches automatic retries.
func (c *Client) SetAutoRetry(ctx context.Context, on bool) error {
	return c.Do(ctx, "set_auto_retry", map[string]bool{"enabled": on}, nil)
}

// AbortRetry ends the wait for a retry.
func (c *Client) AbortRetry(ctx context.Context) error { return c.Do(ctx, "abort_retry", nil, nil) }

// Bash runs a command of the user's. The model does not see one that is hidden.
func (c *Client) Bash(ctx context.Context, command string, hidden bool) (*bash.Result, error) {
	return get[bash.Result](ctx, c, "bash", map[string]any{"command": command, "excludeFromContext": hidden})
}

// AbortBash ends the commands of the user's.
func (c *Client) AbortBash(ctx context.Context) error { return c.Do(ctx, "abort_bash", nil, nil) }

// Stats returns the session's numbers.
func (c *Client) Stats(ctx context.Context) (*transcript.Stats, error) {
	return get[transcript.Stats](ctx, c, "get_session_stats", nil)
}

// ExportHTML writes the session as a page and returns its file. The path may be empty.
func (c *Client) ExportHTML(ctx context.Context, path string) (string, error) {
	fields := map[string]string{}
	if path != "" {
		fields["outputPath"] = path
	}
	var data struct {
		Path string `json:"path"`
	}
	err := c.Do(ctx, "export_html", fields, &data)
	return data.Path, err
}

// replacement is the data of commands that replace the session.
type replacement struct {
	Text      string `json:"text"`
	Cancelled bool   `json:"cancelled"`
}

// replace sends such a command. One that was called off is [session.ErrCancelled].
func (c *Client) replace(ctx context.Context, command string, fields any) (text string, err error) {
	var data replacement
	if err := c.Do(ctx, command, fields, &data); err != nil {
		return "", err
	}
	if data.Cancelled {
		return "", session.ErrCancelled
	}
	return data.Text, nil
}

// NewSession begins a session. parent, which may be empty, is the file that it comes from.
func (c *Client) NewSession(ctx context.Context, parent string) error {
	fields := map[string]string{}
	if parent != "" {
		fields["parentSession"] = parent
	}
	_, err := c.replace(ctx, "new_session", fields)
	return err
}

// SwitchSession goes on with the session of another file.
func (c *Client) SwitchSession(ctx context.Context, path string) error {
	_, err := c.replace(ctx, "switch_session", map[string]string{"sessionPath": path})
	return err
}

// Fork begins a session with what lies before a message of the user, and returns the text of
// that.
func (c *Client) Fork(ctx context.Context, id transcript.EntryID) (text string, err error) {
	return c.replace(ctx, "fork", map[string]transcript.EntryID{"entryId": id})
}

// Clone copies the active branch into a new session and goes on there.
func (c *Client) Clone(ctx context.Context) error {
	_, err := c.replace(ctx, "clone", nil)
	return err
}

// ForkMessages returns the messages that a fork may begin at.
func (c *Client) ForkMessages(ctx context.Context) ([]session.ForkMessage, error) {
	var data struct {
		Messages []session.ForkMessage `json:"messages"`
	}
	err := c.Do(ctx, "get_fork_messages", nil, &data)
	return data.Messages, err
}

// Entries returns the entries after the entry since, or all if that is empty, and the leaf.
func (c *Client) Entries(ctx context.Context, since transcript.EntryID) (entries []transcript.Entry, leaf transcript.EntryID, err error) {
	fields := map[string]transcript.EntryID{}
	if since != "" {
		fields["since"] = since
	}
	var data struct {
		Entries []jsontext.Value   `json:"entries"`
		LeafID  transcript.EntryID `json:"leafId"`
	}
	if err := c.Do(ctx, "get_entries", fields, &data); err != nil {
		return nil, "", err
	}
	for _, raw := range data.Entries {
		e, err := transcript.DecodeEntry(raw)
		if err != nil {
			return nil, "", err
		}
		entries = append(entries, e)
	}
	return entries, data.LeafID, nil
}

// Tree returns the roots of the tree of entries, and the leaf. The tree of a session with more
// than about 4000 entries on one branch is too deep to be read; use [Client.Entries].
func (c *Client) Tree(ctx context.Context) (roots []*Node, leaf transcript.EntryID, err error) {
	var data struct {
		Tree   []*Node            `json:"tree"`
		LeafID transcript.EntryID `json:"leafId"`
	}
	err = c.Do(ctx, "get_tree", nil, &data)
	return data.Tree, data.LeafID, err
}

// SetName names the session.
func (c *Client) SetName(ctx context.Context, name string) error {
	return c.Do(ctx, "set_session_name", map[string]string{"name": name}, nil)
}

// Commands returns what a prompt may begin with.
func (c *Client) Commands(ctx context.Context) ([]Command, error) {
	var data struct {
		Commands []Command `json:"commands"`
	}
	err := c.Do(ctx, "get_commands", nil, &data)
	return data.Commands, err
}

func get[T any](ctx context.Context, c *Client, command string, fields any) (*T, error) {
	data := new(T)
	if err := c.Do(ctx, command, fields, data); err != nil {
		return nil, err
	}
	return data, nil
}
