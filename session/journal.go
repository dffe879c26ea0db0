package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
)

// journal keeps the results of a parallel batch until they are entries. The entries
// follow the order of the calls, so that the result of a fast call waits for those of slow
// ones; a crash meanwhile must not lose what has happened already. The journal is a file
// beside the session's, and exists only while such a batch is under way.
type journal struct {
	mu   sync.Mutex
	open map[string]struct{} // calls of the batch that have no entry
	file *os.File
}

const journalSuffix = ".results"

// outcome is one line of a journal.
type outcome struct {
	ToolCallID string            `json:"toolCallId"`
	ToolName   string            `json:"toolName"`
	Result     *agent.ToolResult `json:"result"`
	IsError    bool              `json:"isError"`
	DurationMs *int64            `json:"durationMs,omitzero"`
}

// begin is told of each answer that has been stored.
func (j *journal) begin(answer *ai.AssistantMessage) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open = nil
	calls := answer.Content.ToolCalls()
	if len(calls) < 2 || answer.Failed() {
		return
	}
	j.open = make(map[string]struct{}, len(calls))
	for _, call := range calls {
		j.open[call.ID] = struct{}{}
	}
}

// note writes down the end of a call. session is the session's file; a session in memory
// needs no journal.
func (j *journal) note(session string, ev *agent.ToolExecutionEnd) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, open := j.open[ev.ToolCallID]; !open || session == "" {
		return nil
	}
	line, err := json.Marshal(outcome{ev.ToolCallID, ev.ToolName, ev.Result, ev.IsError, ev.DurationMs}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil // a result that cannot be written fails when its entry is made
	}
	if j.file == nil {
		if j.file, err = os.OpenFile(session+journalSuffix, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			return fmt.Errorf("keep the result of %s: %w", ev.ToolName, err)
		}
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep the result of %s: %w", ev.ToolName, err)
	}
	return nil
}

// kept is told of each result that has become an entry.
func (j *journal) kept(callID string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.open, callID)
	if len(j.open) == 0 {
		j.remove()
	}
}

// close removes the journal: after a run, what it holds is either stored or given up.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open = nil
	j.remove()
}

// remove deletes the file; the mutex is held.
func (j *journal) remove() {
	if j.file == nil {
		return
	}
	j.file.Close()
	os.Remove(j.file.Name())
	j.file = nil
}

// recoverResults adds the results that a crashed run left in its journal to the
// conversation. Calls without a result stay open; requests repair that (law L6).
func (s *Session) recoverResults(messages []agent.Message) error {
	path := s.store.Path() + journalSuffix
	if s.store.Path() == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read the results of an interrupted run: %w", err)
	}
	found := make(map[string]*outcome)
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		o := new(outcome)
		if json.Unmarshal(lines.Bytes(), o) == nil && o.Result != nil {
			found[o.ToolCallID] = o
		}
	}
	for _, call := range openCalls(messages) {
		o := found[call.ID]
		if o == nil {
			continue
		}
		m := &ai.ToolResultMessage{
			ToolCallID: o.ToolCallID, ToolName: o.ToolName, Content: o.Result.Content, Details: o.Result.Details, Structured: o.Result.Structured,
			Usage: o.Result.Usage, AddedToolNames: o.Result.AddedToolNames, IsError: o.IsError, Timestamp: time.Now().UnixMilli(), DurationMs: o.DurationMs,
		}
		if err := s.store.Append(&MessageEntry{Message: m}); err != nil {
			return fmt.Errorf("store the results of an interrupted run in %s: %w", s.store.Path(), err)
		}
	}
	return os.Remove(path)
}

// openCalls returns the calls of the newest answer that have no result.
func openCalls(messages []agent.Message) []*ai.ToolCall {
	answered := make(map[string]bool)
	for i := len(messages) - 1; i >= 0; i-- {
		switch m := messages[i].(type) {
		case *ai.ToolResultMessage:
			answered[m.ToolCallID] = true
		case *ai.AssistantMessage:
			var open []*ai.ToolCall
			for _, call := range m.Content.ToolCalls() {
				if !answered[call.ID] {
					open = append(open, call)
				}
			}
			return open
		}
	}
	return nil
}
