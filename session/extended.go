package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// extended is a session as its extensions act on it.
type extended struct {
	entryReader
	*Session
}

var _ extension.Session = extended{}

func (x extended) Models() extension.Models {
	if x.opts.Program.Models == nil {
		return noModels{}
	}
	return x.opts.Program.Models
}

func (x extended) CWD() string                     { return x.opts.CWD }
func (x extended) Model() *ai.Model                { return x.State().Model }
func (x extended) ThinkingLevel() ai.ThinkingLevel { return x.State().Thinking }
func (x extended) ProjectTrusted() bool            { return x.opts.Program.ProjectTrusted }
func (x extended) Idle() bool                      { return !x.State().Busy }

func (x extended) ScopedModels() []extension.ScopedModel {
	list := make([]extension.ScopedModel, len(x.opts.Scope))
	for i, m := range x.opts.Scope {
		list[i] = extension.ScopedModel{Model: m.Model, ThinkingLevel: m.Thinking}
	}
	return list
}

func (x extended) HasPendingMessages() bool {
	return x.State().Pending > 0 || x.conductor.agent.Queued()
}

func (x extended) ContextUsage() *extension.ContextUsage {
	usage, err := x.Session.ContextUsage()
	if err != nil || usage == nil {
		return nil
	}
	return (*extension.ContextUsage)(usage)
}

// SystemPrompt is that of the run under way, as far as its handlers have made it.
func (x extended) SystemPrompt() string {
	text, _ := x.conductor.instructions.current()
	return text
}

func (x extended) SystemPromptOptions() *extension.SystemPromptOptions {
	return x.conductor.instructions.options(x.conductor.tools.selected())
}

func (x extended) RunContext() context.Context { return x.scheduler.runContext() }

func (x extended) Abort() { x.scheduler.abortCurrent() }

// Shutdown ends the program once: now, or when the session has settled.
func (x extended) Shutdown() {
	end, ended := x.binding.takeShutdown()
	if end == nil {
		return
	}
	x.scheduler.running.Go(func() {
		defer close(ended)
		if x.Wait(x.scheduler.ctx) == nil { // a session that ends needs no shutdown
			end()
		}
	})
}

func (x extended) Compact(instructions string, done func(jsontext.Value, error)) {
	run, err := x.conductor.compactor.request(instructions)
	if done == nil {
		return
	}
	if err != nil {
		done(nil, err)
		return
	}
	x.scheduler.running.Go(func() {
		result, err := run.Wait(context.Background()) // every compaction ends
		if err != nil {
			done(nil, err)
			return
		}
		raw, err := json.Marshal(result, lenient.UTF8)
		done(raw, err)
	})
}

func (x extended) SendMessage(m *extension.CustomMessage, opts extension.SendOptions) error {
	if m == nil {
		return errors.New("send a message: there is none")
	}
	return x.conductor.send(x.conductor.binding.custom(m), opts)
}

func (x extended) SendUserMessage(ctx context.Context, m *extension.UserMessage, accepted func(error)) {
	p := Prompt{Source: extension.SourceExtension, Verbatim: !m.Expand, WhileBusy: Delivery(m.DeliverAs)}
	for _, block := range m.Content.All() {
		switch b := block.(type) {
		case *ai.Text:
			if p.Text != "" {
				p.Text += "\n"
			}
			p.Text += b.Text
		case *ai.Image:
			p.Images = append(p.Images, b)
		default:
			accepted(fmt.Errorf("send a user message: it holds a block of the type %s; text and images can be sent", block.Type()))
			return
		}
	}
	if p.Text == "" && len(p.Images) == 0 {
		accepted(errors.New("send a user message: there is nothing in it"))
		return
	}
	if c, _ := x.intake.command(&p); c != nil {
		accepted(x.sendCommand(p))
		return
	}
	start := func() {
		_, err := x.start(ctx, p)
		accepted(err)
	}
	if !x.binding.ext.Has(extension.KindInput) {
		start() // at once: nobody is asked
		return
	}
	done := x.scheduler.queue.sending()
	x.scheduler.running.Go(func() {
		defer done()
		start()
	})
}

// sendCommand runs a command that an extension sends. Neither the sender nor the end of the
// session waits for it: it may wait for the run that the sender is asked about, and put another
// session in the place of this one.
func (x extended) sendCommand(p Prompt) error {
	if x.scheduler.isClosed() {
		return transcript.ErrClosed
	}
	done := func() {}
	if x.Idle() { // what was sent before is done first
		done = x.scheduler.queue.sending()
	}
	go func() { // it ends with its extension
		defer done()
		_, _ = x.Start(p) // a failure of the command is reported
	}()
	return nil
}

func (x extended) AppendEntry(customType string, data jsontext.Value) (string, error) {
	if customType == "" {
		return "", errors.New("append an entry: it needs a customType")
	}
	e := &transcript.CustomEntry{CustomType: customType, Data: data}
	if err := x.conductor.writer.add(e); errors.Is(err, transcript.ErrClosed) {
		return "", err
	} else if err != nil {
		return "", fmt.Errorf("append an entry to %s: %w", x.Store().Path(), err)
	}
	x.events.post(&event.EntryAppended{Entry: e})
	x.events.flush()
	return string(e.ID), nil
}

func (x extended) SetLabel(entryID, label string) error {
	return x.Session.SetLabel(transcript.EntryID(entryID), label)
}

func (x extended) Commands() []extension.CommandInfo { return x.CommandInfos() }

func (x extended) SetModel(ctx context.Context, m *ai.Model) (bool, error) {
	if m == nil {
		return false, nil
	}
	if x.opts.Ready != nil && x.opts.Ready(m) != nil {
		return false, nil
	}
	return true, x.conductor.choice.setModel(ctx, m)
}

func (x extended) SetThinkingLevel(ctx context.Context, level ai.ThinkingLevel) error {
	return x.conductor.choice.setThinking(ctx, level)
}

func (x extended) SetName(ctx context.Context, name string) error { return x.names.rename(ctx, name) }

func (x extended) RegisterProvider(name string, p *extension.Provider) error {
	if x.opts.Program.RegisterProvider == nil {
		return errors.New("register a provider: this program has none but its own")
	}
	return x.opts.Program.RegisterProvider(name, p)
}

func (x extended) UnregisterProvider(name string) error {
	if x.opts.Program.UnregisterProvider == nil {
		return errors.New("unregister a provider: this program has none but its own")
	}
	return x.opts.Program.UnregisterProvider(name)
}

func (x extended) NavigateTree(ctx context.Context, targetID string, opts extension.TreeOptions) (bool, error) {
	_, err := x.Session.Navigate(ctx, transcript.EntryID(targetID), &Navigation{
		Summarize: opts.Summarize, Instructions: opts.CustomInstructions, ReplacePrompt: opts.ReplaceInstructions, Label: opts.Label,
	})
	return calledOff(err)
}

func (x extended) NewSession(ctx context.Context, opts extension.NewSessionOptions) (bool, error) {
	rt, err := x.binding.holder()
	if err != nil {
		return false, err
	}
	var setup func(transcript.Store) error
	if opts.Setup != nil {
		setup = func(store transcript.Store) error { return opts.Setup(ctx, entryWriter{entryReader{store}, store}) }
	}
	return rt.onward(ctx, opts.With, rt.begin(ctx, opts.ParentSession, setup))
}

func (x extended) Fork(ctx context.Context, entryID string, opts extension.ForkOptions) (bool, error) {
	rt, err := x.binding.holder()
	if err != nil {
		return false, err
	}
	position := Position(opts.Position)
	if position == "" {
		position = Before
	}
	_, err = rt.Fork(ctx, transcript.EntryID(entryID), position)
	return rt.onward(ctx, opts.With, err)
}

func (x extended) SwitchSession(ctx context.Context, path string, with extension.WithSession) (bool, error) {
	rt, err := x.binding.holder()
	if err != nil {
		return false, err
	}
	return rt.onward(ctx, with, rt.Switch(ctx, path))
}

func (x extended) Reload(ctx context.Context) error {
	rt, err := x.binding.holder()
	if err != nil {
		return err
	}
	return rt.Reload(ctx)
}

// onward goes on in the session that has taken the place of another.
func (r *Runtime) onward(ctx context.Context, with extension.WithSession, err error) (cancelled bool, _ error) {
	if cancelled, err = calledOff(err); cancelled || err != nil || with == nil {
		return cancelled, err
	}
	ext := r.Session().Extensions()
	if ext == nil {
		return false, errors.New("the session that has taken this one's place has no extensions")
	}
	return false, with(ctx, ext.CommandContext())
}

// calledOff tells that a change was called off from a failure.
func calledOff(err error) (bool, error) {
	if errors.Is(err, ErrCancelled) {
		return true, nil
	}
	return false, err
}

// noModels stands for the models of a program that names none.
type noModels struct{}

func (noModels) All() []*ai.Model              { return nil }
func (noModels) Available() []*ai.Model        { return nil }
func (noModels) Find(string, string) *ai.Model { return nil }
func (noModels) HasAuth(*ai.Model) bool        { return false }
func (noModels) Auth(context.Context, *ai.Model) (string, map[string]string, error) {
	return "", nil, errors.New("this program has no models of its own")
}

func (noModels) Stream(ctx context.Context, req *ai.Request) *ai.Stream {
	return ai.NewStream(ctx, req.Model, func(context.Context, *ai.Writer) error {
		return errors.New("this program has no models of its own")
	})
}
