package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// journal keeps what has happened and cannot be an entry yet, so that a crash does not
// lose it: results of calls that run together, which become entries in the order of the
// calls, and commands of the user's beside a run, which become entries at its end. It is a
// file beside the session's, and exists only while it holds something.
type journal struct {
	mu       sync.Mutex
	answer   transcript.EntryID                     // whose calls run
	open     map[string]struct{}                    // those of its calls that have no entry
	commands map[*transcript.BashExecution]struct{} // of the user, that have no entry
	file     *os.File
}

const journalSuffix = ".results"

// jotting is one line of a journal: a result, or a command of the user's.
type jotting struct {
	// Answer is the entry that the call is in: some servers number the calls of each
	// answer anew.
	Answer     transcript.EntryID `json:"answer,omitzero"`
	ToolCallID string             `json:"toolCallId,omitzero"`
	ToolName   string             `json:"toolName,omitzero"`
	Result     *agent.ToolResult  `json:"result,omitzero"`
	IsError    bool               `json:"isError,omitzero"`
	DurationMs *int64             `json:"durationMs,omitzero"`

	Command *transcript.BashExecution `json:"command,omitzero"`
}

// begin is told of each answer that has been stored, and of its entry. What an earlier
// answer has left open is given up.
func (j *journal) begin(id transcript.EntryID, answer *ai.AssistantMessage) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.answer, j.open = id, nil
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
	if _, open := j.open[ev.ToolCallID]; !open {
		return nil
	}
	err := j.write(session, &jotting{
		Answer: j.answer, ToolCallID: ev.ToolCallID, ToolName: ev.ToolName, Result: ev.Result, IsError: ev.IsError, DurationMs: ev.DurationMs,
	})
	if err != nil {
		return fmt.Errorf("keep the result of %s: %w", ev.ToolName, err)
	}
	return nil
}

// noteCommand writes down a command of the user's that becomes an entry later.
func (j *journal) noteCommand(session string, c *transcript.BashExecution) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.commands == nil {
		j.commands = make(map[*transcript.BashExecution]struct{})
	}
	j.commands[c] = struct{}{}
	if err := j.write(session, &jotting{Command: c}); err != nil && !errors.Is(err, fs.ErrNotExist) { // no folder: no session yet
		return fmt.Errorf("keep the output of %q: %w", c.Command, err)
	}
	return nil
}

// write adds a line; the mutex is held.
func (j *journal) write(session string, line *jotting) (err error) {
	if session == "" {
		return nil
	}
	text, err := json.Marshal(line, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil // what cannot be written fails when its entry is made
	}
	if j.file == nil {
		if j.file, err = os.OpenFile(session+journalSuffix, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			return err
		}
	}
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		_, _ = j.file.Write([]byte{'\n'}) // what comes next is not to continue a part of a line
		return err
	}
	return nil
}

// kept is told of each result that has become an entry.
func (j *journal) kept(callID string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.open, callID)
	j.tidy()
}

// keptCommand is told of each command that has become an entry.
func (j *journal) keptCommand(c *transcript.BashExecution) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.commands, c)
	j.tidy()
}

// close is told of the end of a run: its results are stored or given up.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open = nil
	j.tidy()
}

// tidy deletes the file once all of it is in entries; the mutex is held.
func (j *journal) tidy() {
	if j.file == nil || len(j.open) > 0 || len(j.commands) > 0 {
		return
	}
	j.file.Close()
	os.Remove(j.file.Name())
	j.file = nil
}

// readJournal returns what a crash has left beside a session's file: the results of the
// calls of one answer, by call, and the commands. A line that was cut is passed over.
func readJournal(session string, answer transcript.EntryID) (results map[string]*jotting, commands []*transcript.BashExecution, err error) {
	text, err := os.ReadFile(session + journalSuffix)
	if err != nil {
		return nil, nil, err
	}
	results = make(map[string]*jotting)
	for line := range bytes.Lines(text) {
		j := new(jotting)
		switch err := json.Unmarshal(line, j); {
		case err != nil:
		case j.Command != nil:
			commands = append(commands, j.Command)
		case j.Result != nil && j.Answer == answer:
			results[j.ToolCallID] = j
		}
	}
	return results, commands, nil
}
