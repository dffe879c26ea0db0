package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type answerFunc = func(context.Context, *ai.Writer) error

// llm answers the agent's requests from one list and those for summaries from another.
// The last reply of a list answers all further requests.
type llm struct {
	mu               sync.Mutex
	replies, summary []answerFunc
	asked, summed    []*ai.Request
}

func isSummary(req *ai.Request) bool {
	return strings.Contains(req.Context.SystemPrompt, "keep the notes of a coding agent")
}

func (p *llm) stream(ctx context.Context, req *ai.Request) *ai.Stream {
	p.mu.Lock()
	defer p.mu.Unlock()
	list, n := p.replies, len(p.asked)
	if isSummary(req) {
		list, n = p.summary, len(p.summed)
		p.summed = append(p.summed, req)
	} else {
		p.asked = append(p.asked, req)
	}
	return ai.NewStream(ctx, req.Model, func(ctx context.Context, w *ai.Writer) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(list) == 0 {
			return fmt.Errorf("no reply for request %d", n+1)
		}
		return list[min(n, len(list)-1)](ctx, w)
	})
}

func (p *llm) counts() (asked, summed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked), len(p.summed)
}

// openOver opens a session over a provider.
func openOver(t *testing.T, store transcript.Store, p *llm, opts session.Options) *session.Session {
	t.Helper()
	opts.Stream = p.stream
	if opts.Model == nil && opts.FindModel == nil {
		opts.Model = labModel
	}
	if opts.CWD == "" {
		opts.CWD = "/"
	}
	s, err := session.New(store, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// saying answers with a text, and says that the request took as many tokens.
func saying(text string, input int) answerFunc {
	return func(_ context.Context, w *ai.Writer) error {
		w.SetUsage(ai.Usage{Input: input, Output: 5, TotalTokens: input + 5})
		w.Append(w.StartText(), text)
		w.Done(ai.StopEnd)
		return nil
	}
}

// calling asks for one call of a tool.
func calling(id, tool, args string, input int) answerFunc {
	return func(_ context.Context, w *ai.Writer) error {
		w.SetUsage(ai.Usage{Input: input, Output: 5, TotalTokens: input + 5})
		w.Append(w.StartToolCall(id, tool), args)
		w.Done(ai.StopToolUse)
		return nil
	}
}

// failsWith answers with an error.
func failsWith(err error) answerFunc {
	return func(context.Context, *ai.Writer) error { return err }
}

// halfThen sends a text and fails.
func halfThen(text string, err error) answerFunc {
	return func(_ context.Context, w *ai.Writer) error {
		w.Append(w.StartText(), text)
		return err
	}
}

var (
	errOverloaded = &ai.StatusError{Status: 529, Message: "Overloaded"}
	errTooLong    = &ai.StatusError{Status: 400, Code: "context_length_exceeded", Message: "This model's maximum context length is 100000 tokens."}
)

// toolReturning is a tool that answers with a text.
func toolReturning(name string, text func() string) *agent.Tool {
	return &agent.Tool{Name: name, Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
		return agent.TextResult(text()), nil
	}}
}

// policyLog records what happens about retry and compaction.
type policyLog struct {
	mu    sync.Mutex
	lines []string
}

func logPolicy(s *session.Session) *policyLog {
	l := new(policyLog)
	s.Subscribe(func(ev event.Event) {
		var line string
		switch ev := ev.(type) {
		case *event.AgentEnd:
			line = fmt.Sprintf("end(%t)", ev.WillRetry)
		case *event.AgentSettled:
			line = "settled"
		case *event.AutoRetryStart:
			line = fmt.Sprintf("retry(%d)", ev.Attempt)
		case *event.AutoRetryEnd:
			line = fmt.Sprintf("retried(%d %t)", ev.Attempt, ev.Success)
		case *event.CompactionStart:
			line = fmt.Sprintf("compact(%s)", ev.Reason)
		case *event.CompactionEnd:
			switch {
			case ev.Result != nil:
				line = fmt.Sprintf("compacted(%t)", ev.WillRetry)
			case ev.Aborted:
				line = "compaction aborted"
			default:
				line = "compaction failed"
			}
		case *event.SummarizationRetryScheduled:
			line = fmt.Sprintf("summary retry(%d)", ev.Attempt)
		case *event.SummarizationRetryFinished:
			line = "summary retried"
		default:
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, line)
	})
	return l
}

func (l *policyLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, ", ")
}

func (l *policyLog) count(line string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, x := range l.lines {
		if x == line {
			n++
		}
	}
	return n
}

func mustPrompt(t *testing.T, s *session.Session, text string) {
	t.Helper()
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: text}); err != nil {
		t.Fatal(err)
	}
}

// carried lists the messages of a request, each as role:text.
func carried(req *ai.Request) []string {
	var out []string
	for _, m := range ai.Transform(req.Model, req.Context.Messages, nil) {
		text := ""
		switch m := m.(type) {
		case *ai.UserMessage:
			text = m.Content.Text()
		case *ai.AssistantMessage:
			text = m.Content.Text()
			for _, c := range m.Content.ToolCalls() {
				text += "(" + c.ID + ")"
			}
		case *ai.ToolResultMessage:
			text = m.Content.Text()
		}
		out = append(out, m.Role()+":"+text)
	}
	return out
}

// inStore lists the messages of a store the same way, with failures marked.
func inStore(t *testing.T, store transcript.Store) []string {
	t.Helper()
	var out []string
	for e, err := range store.Entries(transcript.TypeMessage, transcript.TypeCompaction) {
		if err != nil {
			t.Fatal(err)
		}
		switch m := transcript.EntryMessage(e).(type) {
		case *ai.UserMessage:
			out = append(out, "user:"+m.Content.Text())
		case *ai.AssistantMessage:
			mark := ""
			if m.Failed() {
				mark = "!"
			}
			out = append(out, "assistant"+mark+":"+m.Content.Text())
		case *ai.ToolResultMessage:
			out = append(out, "result")
		case *transcript.CompactionSummary:
			out = append(out, "summary:"+m.Summary)
		}
	}
	return out
}

// openAgain opens the file of a session that has been closed.
func openAgain(t *testing.T, path string) *jsonl.Store {
	t.Helper()
	store, err := jsonl.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
