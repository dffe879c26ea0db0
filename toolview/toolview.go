// Package toolview says how the calls of a tool are shown to people: a [View] is data that stands
// beside the tool, and that the terminal, the HTML export and the page of a browser draw, each in
// its way. None of them knows a tool by its name.
package toolview

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// View says what to show of a call. Arguments may be of any kind that a model has written, and are
// incomplete while they stream.
type View struct {
	// Subject is what a call is about, Notes what matters less: the parts of one line.
	Subject []Part `json:"subject,omitzero"`
	Notes   []Part `json:"notes,omitzero"`
	// Aliases are other names of arguments that models write: from theirs to the tool's.
	Aliases map[string]string `json:"aliases,omitzero"`
	// Input is what a call is about to do, beyond the line. Its zero value is nothing.
	Input Block `json:"input,omitzero"`
	// Output is what it has come to. Its zero value is the text of the result.
	Output Block `json:"output,omitzero"`
	// Quiet says that the result matters less than that it was looked at: it may be folded.
	Quiet bool `json:"quiet,omitzero"`
	// Command says that the end of the output matters most, and that the last line of a failure
	// is why it has failed, the others what it wrote before.
	Command bool `json:"command,omitzero"`
}

// Part is a part of a line: an argument, with what stands around it. It is left out where the
// argument is.
type Part struct {
	Arg    string `json:"arg"`
	Before string `json:"before,omitzero"`
	After  string `json:"after,omitzero"`
	// Or is shown if the argument is left out.
	Or string `json:"or,omitzero"`
	// Count is an argument with the number of lines, where Arg is the first line to show.
	Count string `json:"count,omitzero"`
	// Lines shows how many lines the argument has, in place of it, where the argument itself may
	// be folded.
	Lines bool `json:"lines,omitzero"`
}

// Kind says what a block is.
type Kind string

// The kinds of blocks.
const (
	// Output is what a program or a tool has written.
	Output Kind = ""
	// Code is a text with the colours of a language.
	Code Kind = "code"
	// Edits are replacements whose place in the file is not known: a list of objects with the
	// texts oldText and newText, or one such object in place of the arguments.
	Edits Kind = "edits"
	// Diff are lines that begin with +, - or a blank, from the details of a result. It takes the
	// place of the input. A result without it is a note.
	Diff Kind = "diff"
	// Note is a sentence that says what the input shows already.
	Note Kind = "note"
)

// Block is a part of the body of a call.
type Block struct {
	Kind Kind `json:"kind,omitzero"`
	// Arg is the argument that it shows, Detail the member of the result's details.
	Arg    string `json:"arg,omitzero"`
	Detail string `json:"detail,omitzero"`
	// File is the argument that names the file whose language colours code; or else Language does.
	File     string `json:"file,omitzero"`
	Language string `json:"language,omitzero"`
	// Long says that it is shown only if it does not fit the line of the call.
	Long bool `json:"long,omitzero"`
}

// Call is a call to show.
type Call struct {
	Args jsontext.Value
	// Content and Details are those of the result, or of the progress so far.
	Content ai.Content
	Details jsontext.Value
	IsError bool
}

// Shown is what there is to see of a call. Texts are as they came: they are not clean.
type Shown struct {
	// Subject and Notes are parts of one line; Size is a note on an input that may be folded.
	Subject, Notes, Size string
	// Input and Output are the parts of the body; the text of an empty one is empty.
	Input, Output ShownBlock
	Quiet         bool
	Command       bool
	// Generic says that the tool has no view: Args are its arguments.
	Generic bool
	Args    jsontext.Value
}

// ShownBlock is a block with its text.
type ShownBlock struct {
	Kind Kind
	Text string
	// File or Language says which colours code has.
	File, Language string
	// Long says that the text matters only if it does not fit the line.
	Long bool
}

// Show returns what v shows of a call. A nil view shows the arguments and the result as they are.
func (v *View) Show(c *Call) *Shown {
	text := contentText(c.Content)
	if v == nil {
		return &Shown{Generic: true, Args: c.Args, Output: ShownBlock{Text: text}}
	}
	args := arguments{}
	_ = json.Unmarshal(c.Args, &args, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) // what is incomplete is not shown
	for theirs, ours := range v.Aliases {
		if value, written := args[theirs]; written && args[ours] == nil {
			args[ours] = value
		}
	}
	s := &Shown{Subject: args.line(v.Subject), Notes: args.line(v.Notes), Size: args.size(v.Notes), Quiet: v.Quiet, Command: v.Command, Args: c.Args}
	s.Input = args.block(v.Input)
	s.Output = ShownBlock{Kind: v.Output.Kind, Text: text, File: args.text(v.Output.File), Language: v.Output.Language}
	switch {
	case c.IsError:
		s.Output.Kind = Output
	case v.Output.Kind == Diff:
		if diff := member(c.Details, v.Output.Detail); diff != "" {
			s.Output.Text, s.Input = diff, ShownBlock{}
		} else {
			s.Output.Kind = Note
		}
	}
	return s
}

func contentText(content ai.Content) string {
	var texts []string
	for _, b := range content {
		if t, ok := b.(*ai.Text); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// member returns a text of the details.
func member(details jsontext.Value, name string) string {
	var all arguments
	if json.Unmarshal(details, &all, jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	text, _ := all[name].(string)
	return text
}

type arguments map[string]any

// text returns an argument as it is, if it is a text, or else as JSON.
func (a arguments) text(name string) string {
	switch v := a[name].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		data, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			return ""
		}
		return string(data)
	}
}

func (a arguments) line(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		text := a.text(p.Arg)
		switch {
		case p.Lines:
			continue
		case p.Count != "":
			text = a.lines(p)
		}
		if text == "" {
			b.WriteString(p.Or)
			continue
		}
		b.WriteString(p.Before + text + p.After)
	}
	return strings.TrimSpace(b.String())
}

// size tells the lengths of the arguments for which it is asked.
func (a arguments) size(parts []Part) string {
	for _, p := range parts {
		if text := a.text(p.Arg); p.Lines && text != "" {
			return count(text)
		}
	}
	return ""
}

func count(text string) string {
	if n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; n != 1 {
		return fmt.Sprintf("%d lines", n)
	}
	return "1 line"
}

// lines names the lines that a part asks for, such as 5-14; empty if all.
func (a arguments) lines(p Part) string {
	first, _ := a[p.Arg].(float64)
	n, _ := a[p.Count].(float64)
	switch {
	case first > 0 && n > 0:
		return fmt.Sprintf("%d-%d", int(first), int(first+n)-1)
	case first > 0:
		return fmt.Sprintf("%d-", int(first))
	case n > 0:
		return fmt.Sprintf("1-%d", int(n))
	}
	return ""
}

func (a arguments) block(b Block) ShownBlock {
	s := ShownBlock{Kind: b.Kind, File: a.text(b.File), Language: b.Language, Long: b.Long}
	if b.Kind == Edits {
		s.Text = a.edits(b.Arg)
	} else if b.Arg != "" {
		s.Text = a.text(b.Arg)
	}
	return s
}

// edits writes replacements as lines that begin with a sign.
func (a arguments) edits(name string) string {
	var b strings.Builder
	list, _ := a[name].([]any)
	for _, e := range append(list, map[string]any(a)) {
		one, _ := e.(map[string]any)
		mark(&b, "- ", arguments(one).text("oldText"))
		mark(&b, "+ ", arguments(one).text("newText"))
	}
	return b.String()
}

func mark(b *strings.Builder, sign, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(sign + line + "\n")
	}
}
