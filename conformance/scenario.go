package conformance

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// Scenario says what the model answers, what the client does and which files exist.
// README.md describes the format.
type Scenario struct {
	// Name is GROUP/NAME, the path of the file below scenarios/ without its ending.
	Name string `json:"-"`
	// About is one sentence: the rule that the scenario shows.
	About string `json:"about"`

	// Mode is rpc, json or print.
	Mode   string   `json:"mode"`
	Args   []string `json:"args"`
	Subdir string   `json:"subdir"`
	// Stdin is what a program in json or print mode reads.
	Stdin *string           `json:"stdin"`
	Env   map[string]string `json:"env"`
	// ExitTimeout is how long the program may take to exit, in seconds; 0 is the time of
	// one step.
	ExitTimeout float64 `json:"exit_timeout"`

	API      API             `json:"api"`
	Model    ordered.Object  `json:"model"`
	Models   []any           `json:"models"`
	Select   string          `json:"select"`
	Provider ordered.Object  `json:"provider"`
	Settings ordered.Object  `json:"settings"`
	Files    map[string]File `json:"files"`
	// HomeFiles lie in the program's state folder.
	HomeFiles  map[string]File `json:"home_files"`
	Extensions map[string]File `json:"extensions"`
	// Load is the order in which extensions are loaded; nil means by name.
	Load []string `json:"load"`

	Replies []Reply `json:"replies"`
	Steps   []Step  `json:"steps"`

	IgnoreEvents []string `json:"ignore_events"`
	ShowFiles    []string `json:"show_files"`
	// Compare names the facets that count; nil means all but closed_early.
	Compare []string `json:"compare"`
	// Differs says why the golden was corrected by hand.
	Differs string `json:"differs"`

	KeepErrorText    bool     `json:"keep_error_text"`
	KeepRequestText  bool     `json:"keep_request_text"`
	KeepDetails      bool     `json:"keep_details"`
	AnyVersion       bool     `json:"any_version"`
	ErrorMarks       []string `json:"error_marks"`
	SystemMarks      []string `json:"system_marks"`
	SummaryMarks     []string `json:"summary_marks"`
	ErrorOutput      bool     `json:"error_output"`
	FreeText         []string `json:"free_text"`
	SortLines        bool     `json:"sort_lines"`
	ShowTools        []string `json:"show_tools"`
	ShowHeaders      []string `json:"show_headers"`
	GeneratedCallIDs bool     `json:"generated_call_ids"`

	// Unknown are members that this package does not know.
	Unknown map[string]any `json:",embed"`

	// raw is the scenario as it was read.
	raw ordered.Object
}

// Group is the part of the name before the first slash.
func (s *Scenario) Group() string {
	group, _, _ := strings.Cut(s.Name, "/")
	return group
}

// ParseScenario reads a scenario.
func ParseScenario(name string, data []byte) (*Scenario, error) {
	value, err := ordered.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", name, err)
	}
	raw, ok := value.(ordered.Object)
	if !ok {
		return nil, fmt.Errorf("scenario %s: the file holds no JSON object", name)
	}
	return newScenario(name, raw)
}

func newScenario(name string, raw ordered.Object) (*Scenario, error) {
	s := &Scenario{Name: name, raw: raw, Mode: "rpc", API: ChatCompletions, Select: "m"}
	if err := ordered.Decode(raw, s); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", name, err)
	}
	return s, nil
}

// at returns the scenario with the real values in place of the placeholders <cwd>,
// <home> and so on, wherever they stand.
func (s *Scenario) at(places *strings.Replacer) (*Scenario, error) {
	return newScenario(s.Name, replaceAll(s.raw, places).(ordered.Object))
}

func replaceAll(v any, r *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return r.Replace(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = replaceAll(v[i], r)
		}
		return out
	case ordered.Object:
		out := make(ordered.Object, len(v))
		for i, m := range v {
			out[i] = ordered.Member{Name: r.Replace(m.Name), Value: replaceAll(m.Value, r)}
		}
		return out
	}
	return v
}

// File is the content of a file: text, {"base64":…}, {"repeat":…,"times":…}, or any other
// JSON value, which is written as JSON.
type File struct{ Content any }

// UnmarshalJSON takes any value.
func (f *File) UnmarshalJSON(data []byte) (err error) {
	f.Content, err = ordered.Parse(data)
	return err
}

// Bytes returns what the file holds.
func (f File) Bytes() ([]byte, error) {
	if text, ok := f.Content.(string); ok {
		return []byte(text), nil
	}
	object, _ := f.Content.(ordered.Object)
	if object.Has("base64") {
		return base64.StdEncoding.DecodeString(object.Text("base64"))
	}
	if times, ok := object.Get("times").(ordered.Number); ok && object.Has("repeat") {
		return []byte(strings.Repeat(object.Text("repeat"), int(times.Float()))), nil
	}
	return []byte(ordered.Indented(f.Content)), nil
}

// Step is one thing that the client does; exactly one of the first group of fields is set.
type Step struct {
	Send ordered.Object `json:"send"`
	Raw  *string        `json:"raw"`
	// Wait is a pattern for the next line of output; see [Matches].
	Wait         any      `json:"wait"`
	WaitRequests int      `json:"wait_requests"`
	Release      string   `json:"release"`
	WaitFile     string   `json:"wait_file"`
	Touch        string   `json:"touch"`
	SleepMS      *float64 `json:"sleep_ms"`

	// As keeps the line that Wait found under a name.
	As string `json:"as"`
	// ReplyTo names the kept line whose id Send copies.
	ReplyTo string `json:"reply_to"`
	// With fills members of Send: [NAME, FIELD] is a field of a kept line.
	With ordered.Object `json:"with"`
	// EOL replaces the line feed behind Send.
	EOL *string `json:"eol"`
	// Timeout bounds Wait, in seconds; 0 is the time of one step.
	Timeout float64 `json:"timeout"`

	// Unknown are members that this package does not know.
	Unknown map[string]any `json:",embed"`
}

// Reply is what the model answers to one request.
type Reply struct {
	Blocks    []Block `json:"blocks"`
	Thinking  *string `json:"thinking"`
	Signature *string `json:"signature"`
	Text      *string `json:"text"`
	Tools     []Call  `json:"tools"`
	// Chunks is the number of pieces of each block.
	Chunks *int `json:"chunks"`
	// Finish is the dialect's own stop reason.
	Finish string `json:"finish"`
	Usage  Usage  `json:"usage"`

	// SSE, if it is not nil, is sent in place of an answer of the dialect.
	SSE []any `json:"sse"`

	// Status other than 0 and 200 makes the reply an HTTP error with Body.
	Status  int               `json:"status"`
	Body    any               `json:"body"`
	Headers map[string]string `json:"headers"`

	// Hold names the gate to wait for before the first byte.
	Hold string `json:"hold"`
	// GateAt is the chunk before which the reply waits for Gate.
	GateAt *int   `json:"gate_at"`
	Gate   string `json:"gate"`
	// CutAt is the chunk before which the connection is closed.
	CutAt *int `json:"cut_at"`
	// Chunked sends the body in HTTP chunks, so that a cut breaks it.
	Chunked bool `json:"chunked"`
	// PaceMS is the pause after each chunk, in milliseconds; nil means 2.
	PaceMS *float64 `json:"pace_ms"`

	// Unknown are members that this package does not know.
	Unknown map[string]any `json:",embed"`
}

// Block is one content block of a [Reply]: thinking, text or a tool call.
type Block struct {
	Thinking  *string `json:"thinking"`
	Signature *string `json:"signature"`
	Text      *string `json:"text"`
	Tool      *Call   `json:"tool"`
}

// Call is a tool call of the model.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args any    `json:"args"`
	// RawArgs is argument text that is sent as it is, in place of Args.
	RawArgs *string `json:"raw_args"`
}

// Usage counts the tokens of a reply; nil means the default: 10 in, 5 out, nothing cached.
type Usage struct {
	Input      *int `json:"input"`
	Output     *int `json:"output"`
	CacheRead  *int `json:"cacheRead"`
	CacheWrite *int `json:"cacheWrite"`
}

// content returns the blocks of a reply, whichever way it lists them.
func (r *Reply) content() []Block {
	if r.Blocks != nil {
		return r.Blocks
	}
	var blocks []Block
	if r.Thinking != nil {
		blocks = append(blocks, Block{Thinking: r.Thinking, Signature: r.Signature})
	}
	if r.Text != nil {
		blocks = append(blocks, Block{Text: r.Text})
	}
	for _, call := range r.Tools {
		blocks = append(blocks, Block{Tool: &call})
	}
	return blocks
}

func (r *Reply) pace() time.Duration {
	return time.Duration(orElse(r.PaceMS, 2) * float64(time.Millisecond))
}

// extensionNames returns the extensions in the order in which they are loaded.
func (s *Scenario) extensionNames() []string {
	if s.Load != nil {
		return s.Load
	}
	names := make([]string, 0, len(s.Extensions))
	for name := range s.Extensions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func orElse[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
