package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/session/export"
	"github.com/rondo-agent/rondo/session/jsonl"
)

// projectSessions returns the folder that has the sessions of the working folder.
func (p *program) projectSessions(cfg *config.Config, cwd string) (string, error) {
	dir, shared, err := cfg.SessionDir(p.flags.sessionDir)
	if err != nil || shared {
		return dir, err
	}
	return jsonl.Dir(dir, cwd), nil
}

// exportSession writes a session to a file and says which.
func (p *program) exportSession(cfg *config.Config) error {
	if len(p.flags.args) > 1 {
		return usage("--export takes one name of a file, not %d", len(p.flags.args))
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working folder: %w", err)
	}
	dir, err := p.projectSessions(cfg, cwd)
	if err != nil {
		return err
	}
	path, err := findFile(dir, p.flags.export)
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
		to, err = export.File(src, to)
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
func (p *program) choices(ctx context.Context, cfg *config.Config) error {
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working folder: %w", err)
	}
	dir, err := p.projectSessions(cfg, cwd)
	if err != nil {
		return asUsage(err)
	}
	list, err := jsonl.List(ctx, dir, cwd, nil)
	if err != nil {
		return asUsage(err)
	}
	if len(list) == 0 {
		return usage("there is no session of this folder to go on with; start one with a prompt")
	}
	var b strings.Builder
	for _, s := range list[:min(len(list), maxChoices)] {
		fmt.Fprintf(&b, "\n  %s  %s  %s", s.Header.ID, s.Modified.Format("2006-01-02 15:04"), title(s))
	}
	if more := len(list) - maxChoices; more > 0 {
		fmt.Fprintf(&b, "\n  and %d older ones", more)
	}
	return usage("a session is chosen on the command line: -c goes on with the newest, --session ID with one of these:%s", b.String())
}

// title is what a session is called, or else what it begins with, on one line.
func title(s *jsonl.Summary) string {
	text := strings.Join(strings.Fields(s.Name), " ")
	if text == "" {
		text = strings.Join(strings.Fields(s.First), " ")
	}
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return text
}
