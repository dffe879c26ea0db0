package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/toolview"
	"github.com/rondo-agent/rondo/transcript/html"
	"github.com/rondo-agent/rondo/transcript/jsonl"
)

// exportSession writes a session to a file and says which.
func (p *program) exportSession(ctx context.Context) error {
	if len(p.flags.args) > 1 {
		return usage("--export takes one name of a file, not %d", len(p.flags.args))
	}
	app, err := p.open(ctx, nil)
	if err != nil {
		return err
	}
	path, err := app.SessionFile(p.flags.export)
	if err != nil {
		return err
	}
	src, err := jsonl.Open(path, &jsonl.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer src.Close()
	to := strings.Join(p.flags.args, "")
	if filepath.Ext(to) == ".jsonl" {
		err = jsonl.Export(src, to)
	} else {
		to, err = html.File(src, to, &html.Options{ToolView: builtinView})
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, to)
	return err
}

// maxChoices is how many sessions are named when one has to be chosen.
const maxChoices = 10

// choices says which sessions can be gone on with: choosing one needs a terminal.
func (p *program) choices(ctx context.Context) error {
	app, err := p.open(ctx, nil)
	if err != nil {
		return err
	}
	list, err := app.Sessions(ctx, "")
	if err != nil {
		return asUsage(err)
	}
	if len(list) == 0 {
		return usage("there is no session of this folder to go on with; start one with a prompt")
	}
	var b strings.Builder
	for _, s := range list[:min(len(list), maxChoices)] {
		fmt.Fprintf(&b, "\n  %s  %s  %s", s.Header.ID, s.Modified.Format("2006-01-02 15:04"), s.Title())
	}
	if more := len(list) - maxChoices; more > 0 {
		fmt.Fprintf(&b, "\n  and %d older ones", more)
	}
	return usage("a session is chosen on the command line: -c goes on with the newest, --session ID with one of these:%s", b.String())
}

// builtinView returns how the calls of a built-in tool are shown.
func builtinView(name string) *toolview.View { return tools.Views(tools.Builtin("", nil))[name] }
