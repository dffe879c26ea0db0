// Package bash is the tool that runs shell commands, and what runs the commands that a
// user types.
//
// # Output
//
// Stdout and stderr are one pipe, so that their order is kept. What comes through it is
// made text: invalid UTF-8 is replaced, escape sequences and control characters are
// dropped. A result shows the last 2000 lines or 51200 bytes, whichever is less; if that
// is not all, everything is in a file of the temporary folder, and a notice says so. Memory
// stays bounded however much is written.
//
// # How a command ends
//
// A command that exits with 0 is a result. A failed result ends in a paragraph that says
// what happened: the exit code, the signal, the timeout or the abort. When a command is
// stopped, its descendants are as well; when it ends by itself, what it has left in the
// background lives on. A process that keeps the output open after that is not waited for
// longer than a moment.
//
// Commands run in sessions of their own, without a terminal, and find an empty stdin: they
// can neither hang at a question nor read what is meant for this program. A signal handler
// that ends the program should call process.KillAll.
package bash

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/schema"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/truncate"
	"github.com/rondo-agent/rondo/toolview"
)

// Name is the tool's name.
const Name = "bash"

// Snippet is the tool's line in the system prompt.
const Snippet = "Run shell commands: builds, tests, git, and whatever the other tools do not do"

// Guidelines are the tool's bullets in the system prompt.
var Guidelines = []string{
	"Shell commands get no input and no terminal: pass flags that answer questions in advance, such as -y or --no-edit",
	"Start a long-running process in the background with its output in a file, for example `server > server.log 2>&1 &`",
}

// View says how a call is shown to people.
var View = &toolview.View{
	Subject: []toolview.Part{{Arg: "command"}},
	Notes:   []toolview.Part{{Arg: "timeout", Before: "limited to ", After: " s"}},
	Input:   toolview.Block{Kind: toolview.Code, Arg: "command", Language: "bash", Long: true},
	Command: true,
}

//go:embed description.md
var description string

var parameters = schema.MustParse(`{
	"type": "object",
	"properties": {
		"command": {"type": "string", "description": "The command, or a script of several lines"},
		"timeout": {"type": "number", "description": "Stop the command after this many seconds (more than 0, fractions allowed). Without it the command may run as long as it needs"}
	},
	"required": ["command"]
}`)

var output = schema.MustParse(`{
	"type": "object",
	"properties": {
		"output": {"type": "string", "description": "What the command wrote, or the end of it"},
		"truncated": {"type": "boolean", "description": "Whether output lacks the beginning"},
		"full_output_path": {"type": "string", "description": "A file with all of the output"},
		"exit_code": {"type": "integer", "description": "Absent if the command was stopped"},
		"wall_time_seconds": {"type": "number"}
	},
	"required": ["output", "truncated", "wall_time_seconds"]
}`)

// Options change how commands run. The zero value runs them on this machine with bash.
type Options struct {
	// Shell is the program that gets each command, after -c. Empty means /bin/bash, or
	// bash or sh from the PATH.
	Shell string
	// CommandPrefix is put on a line of its own before each command, for instance to set
	// shell options.
	CommandPrefix string
	// Env returns what a command gets beside the environment of this process and
	// AI_AGENT, as NAME=value; it is called for each command.
	Env func() []string
	// Host is where commands run, and where their output is kept; nil means this machine.
	Host host.Host
	// Structured adds the result as data to each result: output of up to 1 MiB, exit
	// code, time (Pi 1.x).
	Structured bool
}

func (o *Options) host() host.Host { return host.Or(o.Host) }

func (o *Options) complete(cmd host.Command) *host.Command {
	if o.CommandPrefix != "" {
		cmd.Text = o.CommandPrefix + "\n" + cmd.Text
	}
	if cmd.Shell == "" {
		cmd.Shell = o.Shell
	}
	if o.Env != nil {
		cmd.Env = append(o.Env(), cmd.Env...)
	}
	return &cmd
}

// Details is the JSON form of a result's details (Pi 0.85).
type Details struct {
	// Truncation is present if the output was cut.
	Truncation *truncate.Result `json:"truncation,omitzero"`
	// FullOutputPath is a file with all of the output.
	FullOutputPath string `json:"fullOutputPath,omitzero"`
	// BackgroundProcess says that a process left in the background still had the output
	// open when the result was made. It is not one of Pi's.
	BackgroundProcess bool `json:"backgroundProcess,omitzero"`
}

// structured is the result as data (Pi 1.x).
type structured struct {
	Output          string  `json:"output"`
	Truncated       bool    `json:"truncated"`
	FullOutputPath  string  `json:"full_output_path,omitzero"`
	ExitCode        *int    `json:"exit_code,omitzero"`
	WallTimeSeconds float64 `json:"wall_time_seconds"`
}

const structuredLimit = 1 << 20

// New returns the tool for commands in the folder cwd.
func New(cwd string, opts *Options) *agent.Tool {
	if opts == nil {
		opts = &Options{}
	}
	t := &agent.Tool{
		Name:        Name,
		Label:       Name,
		Description: strings.TrimSpace(description),
		Parameters:  parameters,
		Execute: func(ctx context.Context, call *agent.Call) (*agent.ToolResult, error) {
			cmd, err := parse(call.Args)
			if err != nil {
				return nil, err
			}
			cmd.Dir = cwd
			return runCall(ctx, cmd, opts, call.Update)
		},
	}
	if opts.Structured {
		t.Output = output
	}
	return t
}

func parse(raw jsontext.Value) (host.Command, error) {
	var args struct {
		Command string   `json:"command"`
		Timeout *float64 `json:"timeout"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return host.Command{}, fmt.Errorf("read the arguments of bash: %w", err)
	}
	cmd := host.Command{Text: args.Command}
	if args.Timeout != nil {
		timeout, err := parseTimeout(*args.Timeout)
		if err != nil {
			return host.Command{}, err
		}
		cmd.Timeout = timeout
	}
	return cmd, nil
}

// maxTimeout in seconds is 2^31-1 milliseconds, the longest timer of Pi 0.85.
const maxTimeout = math.MaxInt32 / 1000.0

func parseTimeout(seconds float64) (time.Duration, error) {
	if !(seconds > 0 && seconds <= maxTimeout) { // so that NaN is wrong as well
		return 0, fmt.Errorf("timeout is in seconds and must be more than 0 and at most %.3f, not %v: "+
			"leave it out to let the command run as long as it needs", maxTimeout, seconds)
	}
	return max(time.Duration(seconds*float64(time.Second)), 1), nil
}

func runCall(ctx context.Context, cmd host.Command, opts *Options, update func(*agent.ToolResult)) (*agent.ToolResult, error) {
	keep := 0
	if opts.Structured {
		keep = structuredLimit
	}
	out := newCapture(ctx, opts.host(), keep)
	update(&agent.ToolResult{Content: ai.Content{}})
	p := &progress{send: update, snapshot: func() *agent.ToolResult { return partial(out) }, last: time.Now()}
	r, err := run(ctx, cmd, opts, out, func([]byte) { p.changed() })
	p.close()
	failure := r.failure(cmd.Timeout)
	if err != nil {
		failure = err.Error()
	}
	res := &agent.ToolResult{
		Content: ai.TextContent(text(r, failure)),
		Details: details(r, failure != ""),
		IsError: failure != "",
	}
	if opts.Structured {
		res.Structured = record(r, out)
	}
	return res, nil
}

// partial is the result while the command runs.
func partial(out *capture) *agent.ToolResult {
	r := result(out)
	return &agent.ToolResult{Content: ai.TextContent(r.Output), Details: details(r, false)}
}

// text is output, notice and failure, each separated by an empty line; the output's own
// final newline stays.
func text(r *Result, failure string) string {
	var parts []string
	if r.Output != "" {
		parts = append(parts, r.Output)
	}
	if notice := r.Notice(); notice != "" {
		parts = append(parts, "["+notice+"]")
	}
	if failure != "" {
		parts = append(parts, failure)
	}
	if len(parts) == 0 {
		return "(no output)"
	}
	return strings.Join(parts, "\n\n")
}

// details are absent where there is nothing to say, but an object for every failed call.
func details(r *Result, failed bool) jsontext.Value {
	d := Details{FullOutputPath: r.FullOutputPath, BackgroundProcess: r.Exit.OutputHeld}
	if r.Truncated {
		d.Truncation = &r.Truncation
	}
	if d == (Details{}) && !failed {
		return nil
	}
	return encode(d)
}

func record(r *Result, out *capture) jsontext.Value {
	text, cut := out.last(structuredLimit)
	return encode(structured{text, cut, r.FullOutputPath, r.ExitCode, r.Elapsed.Seconds()})
}

func encode(v any) jsontext.Value {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true)) // of the temporary folder's name
	if err != nil {
		panic(err) // structs of strings and numbers
	}
	return data
}
