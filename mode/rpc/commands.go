package rpc

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
)

// command is one command of the protocol. One that waits is answered by a goroutine of
// its own, so that others are answered meanwhile. One that replaces the session holds back
// those that come after it, which are for the new session.
type command struct {
	run      func(ctx context.Context, s *server, req *request) (any, error)
	waits    bool
	replaces bool
}

var commands = map[string]command{
	"prompt":                        {run: prompt},
	"steer":                         {run: queue(session.Steer)},
	"follow_up":                     {run: queue(session.FollowUp)},
	"abort":                         {run: abort, waits: true},
	"clear_queue":                   {run: clearQueue},
	"get_state":                     {run: getState},
	"get_messages":                  {run: getMessages},
	"get_last_assistant_text":       {run: getLastAssistantText},
	"set_model":                     {run: setModel},
	"get_available_models":          {run: getAvailableModels},
	"set_thinking_level":            {run: setThinkingLevel},
	"get_available_thinking_levels": {run: getAvailableThinkingLevels},
	"set_steering_mode":             {run: setSteeringMode},
	"set_follow_up_mode":            {run: setFollowUpMode},
	"bash":                          {run: bash, waits: true},
	"abort_bash":                    {run: abortBash},
	"get_commands":                  {run: getCommands},
	"cycle_model":                   {run: cycleModel},
	"cycle_thinking_level":          {run: cycleThinkingLevel},
	"new_session":                   {run: newSession, replaces: true},
	"switch_session":                {run: switchSession, replaces: true},
	"fork":                          {run: fork, replaces: true},
	"clone":                         {run: clone, replaces: true},
	"get_fork_messages":             {run: getForkMessages},
	"get_entries":                   {run: getEntries},
	"get_tree":                      {run: getTree},
	"set_session_name":              {run: setSessionName},
	"get_session_stats":             {run: getSessionStats},
	"export_html":                   {run: exportHTML, waits: true},
	"set_dialogs":                   {run: setDialogs},
	"compact":                       {run: compact},
	"set_auto_compaction":           {run: setAutoCompaction},
	"set_auto_retry":                {run: setAutoRetry},
	"abort_retry":                   {run: abortRetry},
}

// image is an image of a command; its type is not looked at.
type image struct {
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
}

// message is what prompt, steer and follow_up carry.
type message struct {
	Message           string           `json:"message"`
	Images            []image          `json:"images"`
	StreamingBehavior session.Delivery `json:"streamingBehavior"`
}

// readPrompt reads what is said to the model.
func readPrompt(req *request) (session.Prompt, error) {
	m, err := read[message](req)
	if err != nil {
		return session.Prompt{}, err
	}
	if m.Message == "" && len(m.Images) == 0 {
		return session.Prompt{}, fmt.Errorf("%s: there is nothing in it: give a message, or images", req.Type)
	}
	p := session.Prompt{Text: m.Message, WhileBusy: m.StreamingBehavior, Source: extension.SourceRPC}
	for n, i := range m.Images {
		if i.Data == "" || i.MIMEType == "" {
			return session.Prompt{}, fmt.Errorf("%s: images.%d needs data, in base64, and mimeType", req.Type, n)
		}
		p.Images = append(p.Images, &ai.Image{Data: i.Data, MIMEType: i.MIMEType})
	}
	return p, nil
}

func prompt(_ context.Context, s *server, req *request) (any, error) {
	p, err := readPrompt(req)
	if err != nil {
		return nil, err
	}
	switch p.WhileBusy {
	case "", session.Steer, session.FollowUp, session.Interrupt:
	default:
		return nil, fmt.Errorf("unknown streamingBehavior %q: use %q, %q or %q", p.WhileBusy, session.Steer, session.FollowUp, session.Interrupt)
	}
	wanted, err := read[struct {
		Disposition bool `json:"disposition"`
	}](req)
	if err != nil {
		return nil, err
	}
	p.Accepted = func(d session.Disposition) {
		r := &response{ID: req.ID, Command: req.Type, Success: true}
		if wanted.Disposition { // an addition to Pi 0.85, for clients that ask
			r.Data = map[string]session.Disposition{"disposition": d}
		}
		s.out.response(r)
	}
	if !s.session.MayBlock(p) {
		if _, err := s.session.Start(p); err != nil {
			return nil, err
		}
		return answered, nil
	}
	// Extensions may ask the client, whose answers have to be read meanwhile.
	s.prompts.Add(1)
	s.waiting.Go(func() {
		defer s.prompts.Done()
		if _, err := s.session.Start(p); err != nil {
			s.out.response(&response{ID: req.ID, Command: req.Type, Error: err.Error()})
		}
		if s.runtime.Session() != s.session {
			s.carryOver()
		}
	})
	return answered, nil
}

// answered is what a command returns that has sent its response itself.
var answered = new(struct{ _ int })

func queue(d session.Delivery) func(context.Context, *server, *request) (any, error) {
	return func(_ context.Context, s *server, req *request) (any, error) {
		p, err := readPrompt(req)
		if err != nil {
			return nil, err
		}
		p.SkipInput = true
		return nil, s.session.Queue(p, d)
	}
}

type queues struct {
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

func clearQueue(_ context.Context, s *server, _ *request) (any, error) {
	var q queues
	q.Steering, q.FollowUp = s.session.ClearQueue()
	return q, nil
}

// state is the data of get_state.
type state struct {
	Model                 *ai.Model        `json:"model,omitzero"`
	ThinkingLevel         ai.ThinkingLevel `json:"thinkingLevel"`
	IsStreaming           bool             `json:"isStreaming"`
	IsCompacting          bool             `json:"isCompacting"`
	SteeringMode          agent.QueueMode  `json:"steeringMode"`
	FollowUpMode          agent.QueueMode  `json:"followUpMode"`
	SessionFile           string           `json:"sessionFile,omitzero"`
	SessionID             string           `json:"sessionId"`
	SessionName           string           `json:"sessionName,omitzero"`
	AutoCompactionEnabled bool             `json:"autoCompactionEnabled"`
	MessageCount          int              `json:"messageCount"`
	PendingMessageCount   int              `json:"pendingMessageCount"`
}

func getState(_ context.Context, s *server, _ *request) (any, error) {
	st := s.session.State()
	name, err := s.session.Name()
	if err != nil {
		return nil, err
	}
	return state{
		Model: st.Model, ThinkingLevel: st.Thinking, IsStreaming: st.Busy, IsCompacting: st.Compacting, SteeringMode: st.SteeringMode, FollowUpMode: st.FollowUpMode,
		SessionFile: s.session.Store().Path(), SessionID: s.session.ID(), SessionName: name,
		AutoCompactionEnabled: st.AutoCompaction, MessageCount: st.Messages, PendingMessageCount: st.Pending,
	}, nil
}

func getMessages(_ context.Context, s *server, _ *request) (any, error) {
	messages := s.session.Messages()
	if messages == nil {
		messages = []agent.Message{}
	}
	return map[string]any{"messages": messages}, nil
}

func getLastAssistantText(_ context.Context, s *server, _ *request) (any, error) {
	data := map[string]string{}
	if answer := s.session.LastAnswer(); answer != nil {
		if text := answer.Content.Text(); text != "" {
			data["text"] = text
		}
	}
	return data, nil
}

func setModel(_ context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	}](req)
	if err != nil {
		return nil, err
	}
	m := s.opts.Models.Get(fields.Provider, fields.ModelID)
	if m == nil {
		return nil, fmt.Errorf("model %s/%s is not available; get_available_models lists those that are", fields.Provider, fields.ModelID)
	}
	return m, s.session.SetModel(m)
}

func getAvailableModels(_ context.Context, s *server, _ *request) (any, error) {
	models := s.opts.Models.Available()
	if models == nil {
		models = []*ai.Model{}
	}
	return map[string]any{"models": models}, nil
}

func setThinkingLevel(_ context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		Level ai.ThinkingLevel `json:"level"`
	}](req)
	if err != nil {
		return nil, err
	}
	return nil, s.session.SetThinking(fields.Level)
}

func getAvailableThinkingLevels(_ context.Context, s *server, _ *request) (any, error) {
	levels := []ai.ThinkingLevel{ai.ThinkingOff}
	if m := s.session.State().Model; m != nil {
		levels = m.SupportedThinkingLevels()
	}
	return map[string]any{"levels": levels}, nil
}

func readMode(req *request) (agent.QueueMode, error) {
	fields, err := read[struct {
		Mode agent.QueueMode `json:"mode"`
	}](req)
	if err == nil && fields.Mode == "" {
		err = fmt.Errorf("%s: mode is missing: use %q or %q", req.Type, agent.OneAtATime, agent.All)
	}
	return fields.Mode, err
}

func setSteeringMode(_ context.Context, s *server, req *request) (any, error) {
	mode, err := readMode(req)
	if err != nil {
		return nil, err
	}
	if err := s.session.SetQueueModes(mode, ""); err != nil {
		return nil, err
	}
	return nil, s.opts.Settings.Save("steeringMode", mode)
}

func setFollowUpMode(_ context.Context, s *server, req *request) (any, error) {
	mode, err := readMode(req)
	if err != nil {
		return nil, err
	}
	if err := s.session.SetQueueModes("", mode); err != nil {
		return nil, err
	}
	return nil, s.opts.Settings.Save("followUpMode", mode)
}

func bash(ctx context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		Command            string `json:"command"`
		ExcludeFromContext bool   `json:"excludeFromContext"`
	}](req)
	if err != nil {
		return nil, err
	}
	if fields.Command == "" {
		return nil, fmt.Errorf("%s: command is missing: give it a shell command", req.Type)
	}
	return s.session.RunBash(ctx, session.BashCommand{Text: fields.Command, Hidden: fields.ExcludeFromContext, ID: req.ID})
}

func abortBash(_ context.Context, s *server, _ *request) (any, error) {
	s.session.AbortBash()
	return nil, nil
}
