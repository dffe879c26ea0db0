// An extension in Go, with nothing but the standard library. It asks before dangerous
// commands are run, brings the tool word_count, and the command /todo TEXT, which keeps a line
// in the session and says how many there are.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

type object = map[string]any

// call is a line of rondo: a question, or the answer to an action.
type call struct {
	Type  string          `json:"type"`
	ID    json.RawMessage `json:"id"`
	Event struct {
		Type     string `json:"type"`
		ToolName string `json:"toolName"`
		Input    struct {
			Command string `json:"command"`
		} `json:"input"`
	} `json:"event"`
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
}

var (
	dangerous = regexp.MustCompile(`\brm\s+-[a-z]*[rf]|\bsudo\b|\bmkfs\b|>\s*/dev/sd`)
	in        = bufio.NewReader(os.Stdin)
	out       = json.NewEncoder(os.Stdout) // one value, one line
	answers   = map[string]*call{}
	last      int
)

func send(m object) {
	if err := out.Encode(m); err != nil {
		os.Exit(0) // rondo has ended
	}
}

func receive() *call {
	line, err := in.ReadBytes('\n')
	m := new(call)
	if err != nil || json.Unmarshal(line, m) != nil {
		os.Exit(0) // rondo has ended
	}
	return m
}

// act asks rondo to do something, and waits for the result. Meanwhile other calls may come.
func act(c *call, action string, params object) (json.RawMessage, error) {
	last++
	id := fmt.Sprintf("%d", last)
	send(object{"type": "action", "id": last, "for": c.ID, "action": action, "params": params})
	for answers[id] == nil {
		take(receive())
	}
	answer := answers[id]
	delete(answers, id)
	if answer.Type == "error" {
		return nil, errors.New(answer.Error)
	}
	return answer.Result, nil
}

func onEvent(c *call) (any, error) {
	command := c.Event.Input.Command
	if c.Event.Type != "tool_call" || c.Event.ToolName != "bash" || !dangerous.MatchString(command) {
		return nil, nil
	}
	choice, err := act(c, "ui.select", object{"title": "Run this?\n\n  " + command, "options": []string{"Yes", "No"}})
	if err != nil || string(choice) == `"Yes"` {
		return nil, err
	}
	return object{"block": true, "reason": "The user does not want this command to be run."}, nil
}

func onTool(c *call) (any, error) {
	var args struct{ Text string }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	words := len(strings.Fields(args.Text))
	return object{"content": fmt.Sprintf("%d words", words), "details": object{"words": words}}, nil
}

func onCommand(c *call) (any, error) {
	if _, err := act(c, "appendEntry", object{"customType": "todo", "data": object{"text": c.Args}}); err != nil {
		return nil, err
	}
	raw, err := act(c, "getEntries", nil)
	if err != nil {
		return nil, err
	}
	count := strings.Count(string(raw), `"customType":"todo"`)
	return act(c, "ui.notify", object{"message": fmt.Sprintf("%d on the list", count), "kind": "info"})
}

// take deals with one line. Types that are unknown here mean nothing.
func take(m *call) {
	var handler func(*call) (any, error)
	switch m.Type {
	case "result", "error":
		answers[string(m.ID)] = m
		return
	case "shutdown":
		os.Exit(0)
	case "event":
		handler = onEvent
	case "call_tool":
		handler = onTool
	case "command":
		handler = onCommand
	default:
		return
	}
	if result, err := handler(m); err != nil {
		send(object{"type": "error", "id": m.ID, "error": err.Error()})
	} else {
		send(object{"type": "result", "id": m.ID, "result": result})
	}
}

func main() {
	receive() // initialize
	send(object{
		"type": "ready", "protocol": 1, "events": []string{"tool_call"},
		"tools": []object{{
			"name": "word_count", "description": "Count the words of a text.",
			"parameters": object{
				"type": "object", "properties": object{"text": object{"type": "string"}}, "required": []string{"text"},
			},
		}},
		"commands": []object{{"name": "todo", "description": "Keep a line in the session"}},
	})
	for {
		take(receive())
	}
}
