package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/session/event"
)

// ErrNoQuestion means that a question is not open: it was answered, or what asked was ended.
var ErrNoQuestion = errors.New("no such question is open: it was answered already, or what asked was ended")

// Answer is what a person answers to an [event.Question].
type Answer struct {
	// Yes is the answer to a confirm or an approval.
	Yes bool
	// Text is the answer to a select or an input; for an approval that is refused, it is the
	// reason, which the model reads.
	Text string
}

// questions are the questions that wait for an answer.
type questions struct {
	events *dispatcher

	mu   sync.Mutex
	last int
	open map[string]*asked
}

// asked is a question that waits.
type asked struct {
	question *event.Question
	number   int
	answer   chan Answer // holds one
}

// Ask asks the person at the other end, with an event, and waits for [Session.Answer]. The
// question's id is chosen here. It returns ctx's cause if that ends first. A subscriber must not
// call it.
func (s *Session) Ask(ctx context.Context, q event.Question) (Answer, error) {
	return s.questions.ask(ctx, &q)
}

// Answer answers a question. It returns [ErrNoQuestion] for one that is not open.
func (s *Session) Answer(id string, a Answer) error { return s.questions.reply(id, a) }

// Questions lists the questions that wait for an answer, oldest first, for a frontend that
// begins to show a session.
func (s *Session) Questions() []*event.Question {
	s.questions.mu.Lock()
	defer s.questions.mu.Unlock()
	var list []*asked
	for _, a := range s.questions.open {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *asked) int { return cmp.Compare(a.number, b.number) })
	out := make([]*event.Question, len(list))
	for i, a := range list {
		out[i] = a.question
	}
	return out
}

func (q *questions) ask(ctx context.Context, question *event.Question) (Answer, error) {
	a := &asked{question: question, answer: make(chan Answer, 1)}
	q.mu.Lock()
	q.last++
	a.number = q.last
	question.ID = strconv.Itoa(a.number)
	if q.open == nil {
		q.open = make(map[string]*asked)
	}
	q.open[question.ID] = a
	q.mu.Unlock()
	q.events.post(question)
	q.events.flush()
	var answer Answer
	var err error
	select {
	case answer = <-a.answer:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	q.mu.Lock()
	delete(q.open, question.ID)
	q.mu.Unlock()
	q.events.post(&event.QuestionEnd{ID: question.ID, Answered: err == nil})
	q.events.flush()
	return answer, err
}

func (q *questions) reply(id string, answer Answer) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	a, ok := q.open[id]
	if !ok {
		return fmt.Errorf("answer question %q: %w", id, ErrNoQuestion)
	}
	delete(q.open, id)
	a.answer <- answer
	return nil
}

// approve is the hook that asks before the calls that need an approval.
func (q *questions) approve(needs func(*agent.PendingCall) bool) agent.Hooks {
	if needs == nil {
		return agent.Hooks{}
	}
	return agent.Hooks{BeforeToolCall: func(ctx context.Context, call *agent.PendingCall) (agent.Decision, error) {
		if !needs(call) {
			return agent.Decision{}, nil
		}
		answer, err := q.ask(ctx, &event.Question{
			Kind: event.QuestionApproval, Title: "Run " + call.Call.Name + "?",
			ToolCallID: call.Call.ID, ToolName: call.Call.Name, Args: call.Args,
		})
		if err != nil {
			return agent.Decision{}, err
		}
		return agent.Decision{Block: !answer.Yes, Reason: cmp.Or(answer.Text, "The user did not approve this call.")}, nil
	}}
}
