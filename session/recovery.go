package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// unknownOutcome is the result of a call that was under way when its program ended. It must
// not say that somebody interrupted the call, nor that it failed: models believe it.
const unknownOutcome = "The result of this call is not available: the program that ran it ended before the result was recorded. The call may or may not have taken effect: check before repeating it."

// recoverRun brings a session in order whose program was killed in the middle of a run.
// Calls of the newest answer that have no result get the one in the recovery log or, where
// there is none, one that says only that it is not known (law L6). Nothing that the session
// holds is changed, and one that is only read gets nothing.
func recoverRun(store transcript.Store) error {
	if r, ok := store.(reader); ok && r.ReadOnly() {
		return nil // another process may be working with it
	}
	tail, err := readTail(store)
	if err != nil {
		return fmt.Errorf("read session %s: %w", store.Path(), err)
	}
	var results map[string]*recoveryRecord
	var commands []*transcript.BashExecution
	inFile := store.Path() != ""
	if inFile {
		results, commands, err = readRecoveryLog(store.Path(), tail.answer)
		if inFile = !errors.Is(err, fs.ErrNotExist); inFile && err != nil {
			return fmt.Errorf("read what an interrupted run has left: %w", err)
		}
	}
	entries := tail.missing(results, commands)
	if len(entries) > 0 {
		if err := store.Append(entries...); err != nil {
			return fmt.Errorf("store what an interrupted run has left: %w", err)
		}
	}
	if inFile {
		return os.Remove(store.Path() + recoverySuffix)
	}
	return nil
}

// reader is a store that may be open for reading only.
type reader interface{ ReadOnly() bool }

// tail is the end of a session's path, from the newest answer on.
type tail struct {
	answer   transcript.EntryID
	open     []*ai.ToolCall // that have no result and must get one
	commands []*transcript.BashExecution
}

// readTail reads it. Calls of a failed answer need no result, since requests leave them
// out, and behind another message one would come too late: requests repair that.
func readTail(s transcript.Store) (*tail, error) {
	t := &tail{}
	if s.Leaf() == "" {
		return t, nil
	}
	answered, closed := make(map[string]bool), false
	for e, err := range s.Ancestors(s.Leaf(), transcript.TypeMessage, transcript.TypeCompaction, transcript.TypeBranchSummary, transcript.TypeCustomMessage) {
		if err != nil {
			return nil, err
		}
		m, ok := e.(*transcript.MessageEntry)
		if !ok {
			return t, nil
		}
		switch m := m.Message.(type) {
		case *ai.ToolResultMessage:
			answered[m.ToolCallID] = true
		case *transcript.BashExecution:
			t.commands, closed = append(t.commands, m), true
		case *ai.AssistantMessage:
			t.answer = e.Base().ID
			for _, call := range m.Content.ToolCalls() {
				if !answered[call.ID] && !closed && !m.Failed() {
					t.open = append(t.open, call)
				}
			}
			return t, nil
		default:
			closed = true
		}
	}
	return t, nil
}

// missing returns the entries that the tail lacks.
func (t *tail) missing(results map[string]*recoveryRecord, commands []*transcript.BashExecution) []transcript.Entry {
	var entries []transcript.Entry
	for _, call := range t.open {
		m := &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: call.Name, Content: ai.TextContent(unknownOutcome), IsError: true}
		if j := results[call.ID]; j != nil {
			m = j.message()
		}
		m.Timestamp = time.Now().UnixMilli()
		entries = append(entries, &transcript.MessageEntry{Message: m})
	}
	for _, c := range commands {
		if !t.has(c) {
			entries = append(entries, &transcript.MessageEntry{Message: c})
		}
	}
	return entries
}

// has reports whether a command has become an entry before the crash.
func (t *tail) has(c *transcript.BashExecution) bool {
	for _, other := range t.commands {
		if other.Timestamp == c.Timestamp && other.Command == c.Command {
			return true
		}
	}
	return false
}

func (j *recoveryRecord) message() *ai.ToolResultMessage {
	r := j.Result
	return &ai.ToolResultMessage{
		ToolCallID: j.ToolCallID, ToolName: j.ToolName, Content: r.Content, Details: r.Details, Structured: r.Structured,
		Usage: r.Usage, AddedToolNames: r.AddedToolNames, IsError: j.IsError, DurationMs: j.DurationMs,
	}
}
