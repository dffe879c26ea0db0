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

// recoveryLog keeps what has happened and cannot be an entry yet, so that a crash does not
// lose it: results of calls that run together, which become entries in the order of the
// calls, and commands of the user's beside a run, which become entries at its end. It is a
// file beside the session's, and exists only while it holds something.
type recoveryLog struct {
	store transcript.Store // whose file the log is beside; a session in memory has none

	mu       sync.Mutex
	answer   transcript.EntryID                     // whose calls run
	open     map[string]struct{}                    // those of its calls that have no entry
	commands map[*transcript.BashExecution]struct{} // of the user, that have no entry
	file     *os.File
	lines    [][]byte // of the file
}

const recoverySuffix = ".results"

// recoveryRecord is one line of a recovery log: a result, or a command of the user's.
type recoveryRecord struct {
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

// begin takes note of an answer that has been stored, and of its entry. What an earlier
// answer has left open is given up.
func (l *recoveryLog) begin(id transcript.EntryID, answer *ai.AssistantMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer, l.open = id, nil
	calls := answer.Content.ToolCalls()
	if len(calls) < 2 || answer.Failed() {
		return
	}
	l.open = make(map[string]struct{}, len(calls))
	for _, call := range calls {
		l.open[call.ID] = struct{}{}
	}
}

// addResult writes down the end of a call.
func (l *recoveryLog) addResult(ev *agent.ToolExecutionEnd) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.open[ev.ToolCallID]; !open {
		return nil
	}
	err := l.write(&recoveryRecord{
		Answer: l.answer, ToolCallID: ev.ToolCallID, ToolName: ev.ToolName, Result: ev.Result, IsError: ev.IsError, DurationMs: ev.DurationMs,
	})
	if err != nil {
		return fmt.Errorf("keep the result of %s: %w", ev.ToolName, err)
	}
	return nil
}

// addCommand writes down a command of the user's that becomes an entry later.
func (l *recoveryLog) addCommand(c *transcript.BashExecution) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.commands == nil {
		l.commands = make(map[*transcript.BashExecution]struct{})
	}
	l.commands[c] = struct{}{}
	if err := l.write(&recoveryRecord{Command: c}); err != nil && !errors.Is(err, fs.ErrNotExist) { // no folder: no session yet
		return fmt.Errorf("keep the output of %q: %w", c.Command, err)
	}
	return nil
}

// write adds a line; the mutex is held.
func (l *recoveryLog) write(line *recoveryRecord) error {
	session := l.store.Path()
	if session == "" {
		return nil
	}
	text, err := json.Marshal(line, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil // what cannot be written fails when its entry is made
	}
	l.lines = append(l.lines, append(text, '\n'))
	path := session + recoverySuffix
	if l.file != nil && l.isAt(path) {
		if _, err := l.file.Write(l.lines[len(l.lines)-1]); err != nil {
			_, _ = l.file.Write([]byte{'\n'}) // what comes next is not to continue a part of a line
			return err
		}
		return nil
	}
	if l.file != nil {
		l.file.Close()
	}
	if l.file, err = os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		l.file = nil
		return err
	}
	_, err = l.file.Write(bytes.Join(l.lines, nil))
	return err
}

// isAt reports whether a path still leads to the open file, which another program may have
// removed.
func (l *recoveryLog) isAt(path string) bool {
	byPath, err := os.Stat(path)
	if err != nil || byPath.Size() == 0 {
		return false
	}
	opened, err := l.file.Stat()
	return err == nil && os.SameFile(byPath, opened)
}

// removeResult takes note of a result that has become an entry.
func (l *recoveryLog) removeResult(callID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, callID)
	l.removeFile()
}

// removeCommand takes note of a command that has become an entry.
func (l *recoveryLog) removeCommand(c *transcript.BashExecution) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.commands, c)
	l.removeFile()
}

// endRun takes note of the end of a run: its results are stored or given up.
func (l *recoveryLog) endRun() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = nil
	l.removeFile()
}

// removeFile deletes the file once all of it is in entries; the mutex is held.
func (l *recoveryLog) removeFile() {
	if l.file == nil || len(l.open) > 0 || len(l.commands) > 0 {
		return
	}
	l.file.Close()
	os.Remove(l.file.Name())
	l.file, l.lines = nil, nil
}

// readRecoveryLog returns what a crash has left beside a session's file: the results of the
// calls of one answer, by call, and the commands. A line that was cut is skipped.
func readRecoveryLog(session string, answer transcript.EntryID) (results map[string]*recoveryRecord, commands []*transcript.BashExecution, err error) {
	text, err := os.ReadFile(session + recoverySuffix)
	if err != nil {
		return nil, nil, err
	}
	results = make(map[string]*recoveryRecord)
	for line := range bytes.Lines(text) {
		r := new(recoveryRecord)
		switch err := json.Unmarshal(line, r); {
		case err != nil:
		case r.Command != nil:
			commands = append(commands, r.Command)
		case r.Result != nil && r.Answer == answer:
			results[r.ToolCallID] = r
		}
	}
	return results, commands, nil
}
