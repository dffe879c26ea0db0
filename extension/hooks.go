package extension

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// Trust asks extensions whether a project's files may count; nil if none has an opinion.
func (r *Runner) Trust(ctx context.Context, cwd string) *ProjectTrustResult {
	if !r.Has(KindProjectTrust) {
		return nil
	}
	var answer *ProjectTrustResult
	_ = dispatch(ctx, r, &ProjectTrust{CWD: cwd}, func(res *ProjectTrustResult) (step, error) {
		switch res.Trusted {
		case "yes", "no":
			answer = res
			return stop, nil
		case "undecided", "":
			return goOn, nil
		}
		return goOn, fmt.Errorf("trusted is %q: use yes, no or undecided", res.Trusted)
	})
	return answer
}

// Resources asks for further skills, templates and themes.
func (r *Runner) Resources(ctx context.Context, e *ResourcesDiscover) *ResourcesDiscoverResult {
	all := &ResourcesDiscoverResult{}
	if !r.Has(KindResourcesDiscover) {
		return all
	}
	_ = dispatch(ctx, r, e, func(res *ResourcesDiscoverResult) (step, error) {
		all.SkillPaths = append(all.SkillPaths, res.SkillPaths...)
		all.PromptPaths = append(all.PromptPaths, res.PromptPaths...)
		all.ThemePaths = append(all.ThemePaths, res.ThemePaths...)
		return goOn, nil
	})
	return all
}

// lastAnswer asks the handlers of an event and returns what the last of them that has an
// opinion has said, nil if none has. One that calls the matter off is the last.
func lastAnswer[E Hook[*R], R any](ctx context.Context, r *Runner, e E, cancels func(*R) bool) (answer *R) {
	if !r.Has(e.Kind()) {
		return nil
	}
	_ = dispatch(ctx, r, e, func(res *R) (step, error) {
		if answer = res; cancels(res) {
			return stop, nil
		}
		return goOn, nil
	})
	return answer
}

// BeforeSwitch asks before a session is replaced; true calls it off.
func (r *Runner) BeforeSwitch(ctx context.Context, e *SessionBeforeSwitch) bool {
	answer := lastAnswer(ctx, r, e, func(res *SwitchResult) bool { return res.Cancel })
	return answer != nil && answer.Cancel
}

// BeforeFork asks before a fork.
func (r *Runner) BeforeFork(ctx context.Context, e *SessionBeforeFork) ForkResult {
	if answer := lastAnswer(ctx, r, e, func(res *ForkResult) bool { return res.Cancel }); answer != nil {
		return *answer
	}
	return ForkResult{}
}

// BeforeCompact asks before a compaction; nil if no handler has an opinion.
func (r *Runner) BeforeCompact(ctx context.Context, e *SessionBeforeCompact) *CompactResult {
	return lastAnswer(ctx, r, e, func(res *CompactResult) bool { return res.Cancel })
}

// BeforeTree asks before the session goes to another place in its tree.
func (r *Runner) BeforeTree(ctx context.Context, e *SessionBeforeTree) *TreeResult {
	return lastAnswer(ctx, r, e, func(res *TreeResult) bool { return res.Cancel })
}

// Context returns what a request is made of. The list that it gets is not changed.
func (r *Runner) Context(ctx context.Context, messages []agent.Message) []agent.Message {
	if !r.Has(KindContext) {
		return messages
	}
	e := &ContextEvent{Messages: slices.Clone(messages)}
	chainMessages(ctx, r, e, &e.Messages)
	return e.Messages
}

// ContextWithSystem is Context with the system messages of the transcript.
func (r *Runner) ContextWithSystem(ctx context.Context, messages []agent.Message) []agent.Message {
	if !r.Has(KindContextWithSystem) {
		return messages
	}
	e := &ContextWithSystem{Messages: slices.Clone(messages)}
	chainMessages(ctx, r, e, &e.Messages)
	return e.Messages
}

// chainMessages asks the handlers of an event for other messages; each sees those of the one
// before it.
func chainMessages[E Hook[*ContextResult]](ctx context.Context, r *Runner, e E, messages *[]agent.Message) {
	_ = dispatch(ctx, r, e, func(res *ContextResult) (step, error) {
		if res.Messages == nil {
			return goOn, nil
		}
		*messages = res.Messages
		return changed, nil
	})
}

// Payload returns the body of a request.
func (r *Runner) Payload(ctx context.Context, body jsontext.Value) jsontext.Value {
	if !r.Has(KindBeforeProviderRequest) {
		return body
	}
	e := &BeforeProviderRequest{Payload: body}
	_ = dispatch(ctx, r, e, func(res *ProviderRequestResult) (step, error) {
		if res.Payload == nil {
			return goOn, nil
		}
		e.Payload = res.Payload
		return changed, nil
	})
	return e.Payload
}

// Headers lets extensions change the headers of a request. Their names are in lower case.
func (r *Runner) Headers(ctx context.Context, header http.Header) {
	if !r.Has(KindBeforeProviderHeaders) {
		return
	}
	e := &BeforeProviderHeaders{Headers: make(map[string]*string, len(header))}
	for name, values := range header {
		value := strings.Join(values, ", ")
		e.Headers[strings.ToLower(name)] = &value
	}
	was := maps.Clone(e.Headers)
	_ = dispatch(ctx, r, e, nil)
	for name := range was {
		if value, kept := e.Headers[name]; !kept || value == nil {
			header.Del(name)
		}
	}
	for name, value := range e.Headers {
		if value != nil && (was[name] == nil || *was[name] != *value) {
			header.Set(name, *value)
		}
	}
}

// Response tells of a response before it is read.
func (r *Runner) Response(ctx context.Context, status int, header http.Header) {
	if !r.Has(KindAfterProviderResponse) {
		return
	}
	e := &AfterProviderResponse{Status: status, Headers: make(map[string]string, len(header))}
	for name, values := range header {
		e.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	r.Emit(ctx, e)
}

// Input passes what a user sends through the extensions. The action is continue, with the
// text and the images that remain, or handled.
func (r *Runner) Input(ctx context.Context, e *Input) *InputResult {
	answer := &InputResult{Action: "continue", Text: e.Text, Images: e.Images}
	if !r.Has(KindInput) {
		return answer
	}
	_ = dispatch(ctx, r, e, func(res *InputResult) (step, error) {
		switch res.Action {
		case "handled":
			answer.Action = res.Action
			return stop, nil
		case "transform":
			images := e.Images
			if res.Images != nil {
				images = res.Images
			}
			if res.Text == "" && len(images) == 0 {
				return goOn, errors.New("the input is transformed into nothing: give a text, or use handled")
			}
			e.Text, e.Images, answer.Text, answer.Images = res.Text, images, res.Text, images
			return changed, nil
		case "continue", "":
			return goOn, nil
		}
		return goOn, fmt.Errorf("the action is %q: use continue, transform or handled", res.Action)
	})
	return answer
}

// BeforeAgentStart asks before a run. Messages add up; the prompt that a handler returns is
// that of the next handler. prompted, if not nil, is called with each, before the next handler.
func (r *Runner) BeforeAgentStart(ctx context.Context, e *BeforeAgentStart, prompted func(string)) (messages []*CustomMessage, systemPrompt string) {
	if !r.Has(KindBeforeAgentStart) {
		return nil, e.SystemPrompt
	}
	_ = dispatch(ctx, r, e, func(res *BeforeAgentStartResult) (step, error) {
		if res.Message != nil {
			messages = append(messages, res.Message)
		}
		if res.SystemPrompt == nil {
			return goOn, nil
		}
		e.SystemPrompt = *res.SystemPrompt
		if prompted != nil {
			prompted(e.SystemPrompt)
		}
		return changed, nil
	})
	return messages, e.SystemPrompt
}

// MessageEnd returns the message that counts: the same, or another one of the same role.
func (r *Runner) MessageEnd(ctx context.Context, m agent.Message) agent.Message {
	if !r.Has(KindMessageEnd) {
		return m
	}
	e := &MessageEnd{Message: m}
	_ = dispatch(ctx, r, e, func(res *MessageEndResult) (step, error) {
		switch {
		case res.Message == nil:
			return goOn, nil
		case res.Message.Role() != m.Role():
			return goOn, fmt.Errorf("a %s message cannot be replaced by a %s message: return one of the same role", m.Role(), res.Message.Role())
		}
		e.Message = res.Message
		return changed, nil
	})
	return e.Message
}

// TurnEnd tells of the end of a turn, and asks how the run goes on. An end counts more than a
// continuation.
func (r *Runner) TurnEnd(ctx context.Context, e *TurnEnd) agent.TurnAction {
	action := agent.TurnGoOn
	if !r.Has(KindTurnEnd) {
		return action
	}
	_ = dispatch(ctx, r, e, func(res *TurnEndResult) (step, error) {
		switch res.Action {
		case "end":
			action = agent.TurnEndRun
		case "continue":
			if action == agent.TurnGoOn {
				action = agent.TurnContinue
			}
		case "":
		default:
			return goOn, fmt.Errorf("the action is %q: use end or continue", res.Action)
		}
		return goOn, nil
	})
	return action
}

// ToolCall asks before a call is executed. The input of e is afterwards that of the call. An
// error blocks the call; what it says is the call's result.
func (r *Runner) ToolCall(ctx context.Context, e *ToolCall) (ToolCallResult, error) {
	var answer ToolCallResult
	if !r.Has(KindToolCall) {
		return answer, nil
	}
	err := dispatch(ctx, r, e, func(res *ToolCallResult) (step, error) {
		if answer = *res; answer.Block {
			return stop, nil
		}
		return goOn, nil
	})
	return answer, err
}

// ToolResult asks for another result of a call; nil if it stays. What one handler replaces,
// the next one sees.
func (r *Runner) ToolResult(ctx context.Context, e *ToolResult) *agent.ResultPatch {
	if !r.Has(KindToolResult) {
		return nil
	}
	var patch *agent.ResultPatch
	_ = dispatch(ctx, r, e, func(res *ToolResultPatch) (step, error) {
		if patch == nil {
			patch = &agent.ResultPatch{}
		}
		if res.Content != nil {
			e.Content, patch.Content = res.Content, res.Content
		}
		if res.Details != nil {
			e.Details, patch.Details = res.Details, res.Details
		}
		if res.IsError != nil {
			e.IsError, patch.IsError = *res.IsError, res.IsError
		}
		if res.Usage != nil {
			e.Usage, patch.Usage = res.Usage, res.Usage
		}
		return changed, nil
	})
	return patch
}

// UserBash asks how a command of the user's is run; nil if as usual. An error keeps it from
// being run.
func (r *Runner) UserBash(ctx context.Context, e *UserBash) (*UserBashResult, error) {
	if !r.Has(KindUserBash) {
		return nil, nil
	}
	var answer *UserBashResult
	err := dispatch(ctx, r, e, func(res *UserBashResult) (step, error) {
		if res.Exec == nil && res.Result == nil {
			return goOn, nil
		}
		answer = res
		return stop, nil
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// Stream tells of an event of a provider's stream.
func (r *Runner) Stream(ctx context.Context, e ai.StreamEvent) {
	if r.Has(KindProviderStreamEvent) {
		r.Emit(ctx, &ProviderStreamEvent{Event: e})
	}
}
