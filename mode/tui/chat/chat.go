// Package chat is the model of what a terminal shows of a session: events go in, blocks
// come out. It knows no terminal and no time.
//
// Events may be coalesced before they come here: of several updates of one answer, of one
// call or of one command the newest is enough. So a slow reader loses nothing and delays
// nothing; see [Inbox].
//
// An answer that streams is divided into blocks as it grows. Those that are finished become
// final at once, so that showing a long answer costs no more for each delta than a short one.
package chat

import (
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// Transcript is the blocks of a session. The zero value is empty.
type Transcript struct {
	// Whole keeps each text of an answer one block, however long: something changes it as a
	// whole before it is shown.
	Whole bool

	blocks []*Block
	answer *answer           // the one that streams
	calls  map[string]*Block // those that are open, by id
	shells map[string]*Block
	status Status
}

// Status is what a session is doing.
type Status struct {
	// Working says that a run is under way, or that one follows.
	Working bool
	// Retry is the repetition that is being waited for; nil if there is none.
	Retry *event.AutoRetryStart
	// Compacting is the reason of the compaction that is under way; empty if there is none.
	Compacting compaction.Reason
	// Steering and FollowUp are the messages that wait.
	Steering, FollowUp []string
}

// Blocks returns the blocks in order. The list must not be changed.
func (t *Transcript) Blocks() []*Block { return t.blocks }

// Status returns what the session is doing.
func (t *Transcript) Status() Status { return t.status }

// Drop forgets the first n blocks, which must be final.
func (t *Transcript) Drop(n int) { t.blocks = slices.Delete(t.blocks, 0, n) }

// Apply takes the next event.
func (t *Transcript) Apply(ev event.Event) {
	switch ev := ev.(type) {
	case *agent.AgentStart:
		t.status.Working = true
	case *agent.MessageStart:
		t.messageStart(ev.Message)
	case *agent.MessageUpdate:
		t.update(ev.Message())
	case *agent.MessageEnd:
		t.messageEnd(ev.Message)
	case *agent.ToolExecutionStart:
		t.callStart(ev)
	case *agent.ToolExecutionUpdate:
		t.callUpdate(ev)
	case *agent.ToolExecutionEnd:
		t.callEnd(ev)
	case *event.AgentEnd:
		t.runEnded()
	case *event.AgentSettled:
		t.status.Working = false
	case *event.QueueUpdate:
		t.status.Steering, t.status.FollowUp = ev.Steering, ev.FollowUp
	case *event.EntryAppended:
		if e, ok := ev.Entry.(*transcript.CustomEntry); ok {
			t.Card(e)
		}
	case *event.BashExecutionUpdate:
		t.shellOutput(string(ev.ID), ev.Delta)
	default:
		t.applyPolicy(ev)
	}
}

// applyPolicy takes events about retry and compaction.
func (t *Transcript) applyPolicy(ev event.Event) {
	switch ev := ev.(type) {
	case *event.AutoRetryStart:
		t.status.Retry = ev
	case *event.AutoRetryEnd:
		t.status.Retry = nil
		if !ev.Success {
			t.Add(Failure, "The request failed "+times(ev.Attempt+1)+": "+ev.FinalError)
		}
	case *event.CompactionStart:
		t.status.Compacting = ev.Reason
	case *event.CompactionEnd:
		t.status.Compacting = ""
		t.compacted(ev)
	case *event.SummarizationRetryScheduled:
		t.Add(Warning, "The summary failed and is tried again: "+ev.ErrorMessage)
	default: // the other events change nothing here
	}
}

func (t *Transcript) compacted(ev *event.CompactionEnd) {
	switch {
	case ev.Result != nil:
		t.push(&Block{Kind: Summary, Final: true, Label: compactionLabel(ev.Result.TokensBefore), Text: text.CleanSource(ev.Result.Summary)})
	case ev.Aborted:
		t.Add(Warning, "The compaction was aborted.")
	case ev.ErrorMessage != "":
		t.Add(Failure, ev.ErrorMessage)
	}
}

// Add adds a notice.
func (t *Transcript) Add(level Level, message string) {
	message = strings.TrimSpace(text.Clean(message))
	if n := len(t.blocks); n > 0 && t.blocks[n-1].Kind == Notice && t.blocks[n-1].Text == message {
		return // as when a run and its session's end fail alike
	}
	t.push(&Block{Kind: Notice, Final: true, Level: level, Text: message})
}

// Foreign adds a block for lines of an extension, which stays open until it is closed by
// [Transcript.Settle]. What comes after it may be final before.
func (t *Transcript) Foreign() *Block { return t.push(&Block{Kind: Lines}) }

// Settle closes a block of [Transcript.Foreign] with the lines that it has in the end.
func (t *Transcript) Settle(b *Block, lines []string) {
	b.Text, b.Final = strings.Join(lines, "\n"), true
	b.touch()
}

// Withdraw takes an open block away.
func (t *Transcript) Withdraw(b *Block) {
	t.blocks = slices.DeleteFunc(t.blocks, func(o *Block) bool { return o == b })
}

// Card adds an entry of an extension.
func (t *Transcript) Card(e *transcript.CustomEntry) {
	t.push(&Block{Kind: Card, Final: true, Entry: e})
}

func (t *Transcript) push(b *Block) *Block {
	t.blocks = append(t.blocks, b)
	return b
}

func (t *Transcript) messageStart(m agent.Message) {
	if _, ok := m.(*ai.AssistantMessage); ok {
		t.answer = &answer{}
	}
}

func (t *Transcript) messageEnd(m agent.Message) {
	if answer, ok := m.(*ai.AssistantMessage); ok {
		t.update(answer)
		t.answerEnded(answer)
		return
	}
	t.Load(m)
}

// runEnded closes what a run has left open.
func (t *Transcript) runEnded() {
	t.answer = nil
	for id, b := range t.calls {
		if !b.Final {
			b.Call.Skipped = !b.Call.Running
			b.Call.Running = false
			b.Final = true
			b.touch()
		}
		delete(t.calls, id)
	}
}
