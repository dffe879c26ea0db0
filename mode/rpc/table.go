package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
)

// call is one command as it came in, with the session that was worked with when its turn came.
type call struct {
	*connection
	session *session.Session
	id      jsontext.Value // nil if it had none
	name    string
}

// handler runs a command. Its answer is the data of the response, unless its type is
// [proto.None]. The error [errAnswered] says that the handler has sent the response itself.
type handler[Request, Answer any] func(ctx context.Context, c *call, req Request) (Answer, error)

var errAnswered = errors.New("rpc: the handler has answered")

// command is a row of the table.
type command struct {
	name string
	run  func(ctx context.Context, c *call, fields jsontext.Value) (any, error)
	mode mode
}

// mode says how a command is run.
type mode int

const (
	// atOnce answers before the next line is read.
	atOnce mode = iota
	// waits answers from a goroutine of its own, so that others are answered meanwhile.
	waits
	// replaces holds back the commands behind it, which are for the new session.
	replaces
	// ofConnection is atOnce, and means nothing outside of a connection.
	ofConnection
)

// rawData is an answer that its handler has written as JSON, because it may be nested more
// deeply than package json allows, or because its parts are written already. It has the form of
// the answer's type.
type rawData []byte

// row ties a command to its handler.
func row[Request, Answer any](d proto.Command[Request, Answer], m mode, h handler[Request, Answer]) command {
	return command{name: d.Name(), mode: m, run: func(ctx context.Context, c *call, fields jsontext.Value) (any, error) {
		req, err := read[Request](c.name, fields)
		if err != nil {
			return nil, err
		}
		answer, err := h(ctx, c, req)
		if _, none := any(answer).(proto.None); none {
			return nil, err
		}
		return answer, err
	}}
}

// rawRow ties a command to a handler that writes its answer.
func rawRow[Request, Answer any](d proto.Command[Request, Answer], h handler[Request, rawData]) command {
	return row(proto.Command[Request, rawData](d), atOnce, h)
}

// table has a row for each command of package proto, in its order.
var table = []command{
	row(proto.Prompt, ofConnection, prompt),
	row(proto.Steer, atOnce, queue(session.Steer)),
	row(proto.FollowUp, atOnce, queue(session.FollowUp)),
	row(proto.ClearQueue, atOnce, clearQueue),
	row(proto.Abort, waits, abort),
	row(proto.SetSteeringMode, atOnce, setSteeringMode),
	row(proto.SetFollowUpMode, atOnce, setFollowUpMode),
	row(proto.GetState, atOnce, getState),
	row(proto.GetMessages, atOnce, getMessages),
	row(proto.GetLastAssistantText, atOnce, getLastAssistantText),
	row(proto.GetAvailableModels, atOnce, getAvailableModels),
	row(proto.SetModel, atOnce, setModel),
	row(proto.CycleModel, atOnce, cycleModel),
	row(proto.GetAvailableThinkingLevels, atOnce, getAvailableThinkingLevels),
	row(proto.SetThinkingLevel, atOnce, setThinkingLevel),
	row(proto.CycleThinkingLevel, atOnce, cycleThinkingLevel),
	row(proto.Bash, waits, bash),
	row(proto.AbortBash, atOnce, abortBash),
	row(proto.GetCommands, atOnce, getCommands),
	row(proto.Compact, ofConnection, compact),
	row(proto.SetAutoCompaction, atOnce, setAutoCompaction),
	row(proto.SetAutoRetry, atOnce, setAutoRetry),
	row(proto.AbortRetry, atOnce, abortRetry),
	row(proto.NewSession, replaces, newSession),
	row(proto.SwitchSession, replaces, switchSession),
	row(proto.GetForkMessages, atOnce, getForkMessages),
	row(proto.Fork, replaces, fork),
	row(proto.Clone, replaces, clone),
	row(proto.SetSessionName, atOnce, setSessionName),
	rawRow(proto.GetEntries, getEntries),
	rawRow(proto.GetTree, getTree),
	row(proto.GetSessionStats, atOnce, getSessionStats),
	row(proto.ExportHTML, waits, exportHTML),
	row(proto.SetDialogs, ofConnection, setDialogs),
}

var commands = func() map[string]*command {
	byName := make(map[string]*command, len(table))
	for i := range table {
		byName[table[i].name] = &table[i]
	}
	return byName
}()

// Callable reports whether [Call] runs the command of a name.
func Callable(name string) bool {
	cmd := commands[name]
	return cmd != nil && (cmd.mode == atOnce || cmd.mode == waits)
}

// read decodes the fields of a command.
func read[Request any](name string, fields jsontext.Value) (Request, error) {
	var req Request
	err := proto.Unmarshal(fields, &req)
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		place := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
		return req, fmt.Errorf("%s: %s must not be %s", name, place, kindName(wrong.JSONKind))
	}
	if err != nil {
		return req, fmt.Errorf("%s: %w", name, err)
	}
	return req, nil
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case '0':
		return "a number"
	}
	return kind.String()
}

// missing is the error of a request without a member that it needs.
func (c *call) missing(field, hint string) error {
	return fmt.Errorf("%s: %s is missing: %s", c.name, field, hint)
}
