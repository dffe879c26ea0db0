package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
)

// Names of the conventions (version 1.38 and later; they are still in development there).
const (
	keyOperation    = attribute.Key("gen_ai.operation.name")
	keyConversation = attribute.Key("gen_ai.conversation.id")
	keyAgent        = attribute.Key("gen_ai.agent.name")
	keyError        = attribute.Key("error.type")
	keyToolName     = attribute.Key("gen_ai.tool.name")
	keyToolType     = attribute.Key("gen_ai.tool.type")
	keyToolCall     = attribute.Key("gen_ai.tool.call.id")
	keyToolArgs     = attribute.Key("gen_ai.tool.call.arguments")
	keyToolResult   = attribute.Key("gen_ai.tool.call.result")
)

// Session makes the spans of one session. A nil one does nothing.
type Session struct {
	t            *Telemetry
	conversation attribute.KeyValue

	mu     sync.Mutex
	run    *span // nil between runs
	turn   *span
	tools  map[string]*span // by call
	failed *ai.AssistantMessage
}

// span is one that has begun.
type span struct {
	trace.Span
	ctx   context.Context // that of its children
	start time.Time
}

// Session returns what watches the session with this id.
func (t *Telemetry) Session(id string) *Session {
	if t == nil {
		return nil
	}
	return &Session{t: t, conversation: keyConversation.String(id), tools: make(map[string]*span)}
}

// begin begins a span under another one; nil for a trace of its own.
func (s *Session) begin(under *span, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) *span {
	ctx := context.Background() //nolint:contextcheck // a span outlives what it is about
	if under != nil {
		ctx = under.ctx
	}
	made := &span{start: time.Now()}
	made.ctx, made.Span = s.t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(made.start),
		trace.WithAttributes(append(attributes, s.conversation)...))
	return made
}

// Event takes an event of the session. It is a subscriber ([session.Session.Subscribe]).
func (s *Session) Event(ev event.Event) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch ev := ev.(type) {
	case *agent.AgentStart:
		s.endRun()
		s.run = s.begin(nil, "invoke_agent rondo", trace.SpanKindInternal, keyOperation.String("invoke_agent"), keyAgent.String("rondo"))
	case *agent.TurnStart:
		s.endTurn()
		s.failed = nil
		s.turn = s.begin(s.run, "turn", trace.SpanKindInternal)
	case *agent.ToolExecutionStart:
		s.beginTool(ev)
	case *agent.ToolExecutionEnd:
		s.endTool(ev)
	case *agent.TurnEnd:
		s.failed = nil
		if ev.Message.Failed() {
			s.failed = ev.Message
		}
		s.endTurn()
	case *event.AgentEnd:
		s.endRun()
	default: // the other events change nothing here
	}
}

func (s *Session) endTurn() {
	for id, tool := range s.tools { // that were given up
		tool.End()
		delete(s.tools, id)
	}
	if s.turn == nil {
		return
	}
	s.fail(s.turn, s.failed)
	s.turn.End()
	s.turn = nil
}

func (s *Session) endRun() {
	s.endTurn()
	if s.run == nil {
		return
	}
	attributes := []attribute.KeyValue{keyOperation.String("invoke_agent"), keyAgent.String("rondo")}
	if kind := s.fail(s.run, s.failed); kind != "" {
		attributes = append(attributes, keyError.String(kind))
	}
	s.t.meters.run.Record(s.run.ctx, since(s.run.start), metric.WithAttributes(attributes...))
	s.run.End()
	s.run, s.failed = nil, nil
}

// fail marks a span as failed by an answer; nil means that nothing has. It returns the kind
// of failure. Its text may hold what was said.
func (s *Session) fail(at *span, m *ai.AssistantMessage) string {
	if m == nil || !m.Failed() {
		return ""
	}
	kind := errorType(m)
	at.SetAttributes(keyError.String(kind))
	text := ""
	if s.t.content {
		text = m.ErrorMessage
	}
	at.SetStatus(codes.Error, text)
	return kind
}

func (s *Session) beginTool(ev *agent.ToolExecutionStart) {
	attributes := append(toolAttributes(ev.ToolName), keyToolCall.String(ev.ToolCallID))
	if s.t.content {
		attributes = append(attributes, keyToolArgs.String(string(ev.Args)))
	}
	s.tools[ev.ToolCallID] = s.begin(s.turn, "execute_tool "+ev.ToolName, trace.SpanKindInternal, attributes...)
}

func toolAttributes(name string) []attribute.KeyValue {
	return []attribute.KeyValue{keyOperation.String("execute_tool"), keyToolName.String(name), keyToolType.String("function")}
}

func (s *Session) endTool(ev *agent.ToolExecutionEnd) {
	tool := s.tools[ev.ToolCallID]
	if tool == nil {
		return
	}
	delete(s.tools, ev.ToolCallID)
	attributes := toolAttributes(ev.ToolName)
	if s.t.content && ev.Result != nil {
		tool.SetAttributes(keyToolResult.String(toolResult(ev.Result.Content)))
	}
	if ev.IsError {
		attributes = append(attributes, keyError.String("tool_error"))
		tool.SetAttributes(keyError.String("tool_error"))
		tool.SetStatus(codes.Error, "")
	}
	s.t.meters.tool.Record(tool.ctx, since(tool.start), metric.WithAttributes(attributes...))
	tool.End()
}

// parent returns the span under which a request belongs.
func (s *Session) parent() *span {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		return s.turn
	}
	return s.run
}
