package resource

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// maxSummary is how much of its first line describes a template without a description, in
// characters (Pi 0.85).
const maxSummary = 60

// Template is a prompt with places for arguments.
type Template struct {
	Name        string
	Description string
	// ArgumentHint shows which arguments the template takes, for people.
	ArgumentHint string
	Path         string
	Source       Source
}

// templates finds the prompt templates.
func (l *loader) templates() error {
	files, err := l.find(&kind{
		flag: "--prompt-template", folder: "prompts", named: l.opts.Templates, off: l.opts.NoTemplates,
		entries: func(list List) []string { return list.Prompts },
		counts:  func(*scan, int) bool { return true },
		below:   func(s *scan) bool { return s.deep },
	})
	if err != nil {
		return err
	}
	byName := make(map[string]found)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file.path), ".md")
		if !l.unique(byName, "template", name, file) {
			continue
		}
		t, err := readTemplate(name, file)
		if err != nil {
			l.problem(file.path, err)
			continue
		}
		l.set.Templates = append(l.set.Templates, t)
	}
	slices.SortStableFunc(l.set.Templates, func(a, b *Template) int { return flaggedLast(a.Source, b.Source) })
	return nil
}

func readTemplate(name string, file found) (*Template, error) {
	p, err := readHead(file.path)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(p.body) == "" {
		return nil, errors.New("is left out: a template needs a text")
	}
	t := &Template{Name: name, Description: p.text("description"), ArgumentHint: p.text("argument-hint"), Path: file.path, Source: file.source}
	if t.Description == "" {
		t.Description = summary(p.body)
	}
	return t, nil
}

// summary is the beginning of the first line that is not empty.
func summary(body string) string {
	line := []rune(firstLine(strings.TrimSpace(body)))
	if len(line) > maxSummary {
		return string(line[:maxSummary]) + "..."
	}
	return strings.TrimSpace(string(line))
}

// Expand returns the template's text, read now, with the arguments in their places. args is
// what stands behind the name of the template, as the user has typed it.
func (t *Template) Expand(args string) (string, error) {
	text, err := readText(t.Path, maxText)
	if err != nil {
		return "", fmt.Errorf("template %s: %s %w", t.Name, t.Path, cause(err))
	}
	p, err := parsePage(text)
	if err != nil {
		return "", fmt.Errorf("template %s: %s %w", t.Name, t.Path, err)
	}
	return fill(p.body, splitArguments(args)), nil
}
