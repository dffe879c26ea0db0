package resource

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// skillFile is the file that makes a folder a skill.
const skillFile = "SKILL.md"

// The limits of the Agent Skills standard, in characters. What goes beyond is a problem, but
// counts.
const (
	maxSkillName     = 64
	maxDescription   = 1024
	maxCompatibility = 500
)

// Skill is a set of instructions that a model reads when it needs them.
type Skill struct {
	Name        string
	Description string
	// Path is the file with the instructions; what they name is relative to its folder.
	Path string
	// Hidden skills are for the user alone: a model is not told of them.
	Hidden bool
	Source Source

	// Further fields of the standard. Nothing acts on them.
	License, Compatibility string
	AllowedTools           []string
	Metadata               map[string]string
}

// skills finds the skills.
func (l *loader) skills() error {
	files, err := l.find(&kind{
		flag: "--skill", folder: "skills", named: l.opts.Skills, off: l.opts.NoSkills, agents: true,
		entries: func(list List) []string { return list.Skills },
		whole:   skillFile,
		counts:  func(s *scan, depth int) bool { return s.agentic == (depth > 0) },
		below:   func(*scan) bool { return true },
	})
	if err != nil {
		return err
	}
	byName := make(map[string]found)
	for _, file := range files {
		skill, wrong, err := readSkill(file)
		if err != nil {
			if !file.loose {
				l.problem(file.path, err)
			}
			continue
		}
		if !l.unique(byName, "skill", skill.Name, file) {
			continue
		}
		for _, text := range wrong {
			l.problem(file.path, errors.New(text))
		}
		l.set.Skills = append(l.set.Skills, skill)
	}
	slices.SortStableFunc(l.set.Skills, func(a, b *Skill) int { return flaggedLast(a.Source, b.Source) })
	return nil
}

// readSkill reads the head of a skill. What is wrong with one that counts all the same
// completes a sentence.
func readSkill(file found) (skill *Skill, wrong []string, err error) {
	p, err := readHead(file.path)
	if err != nil {
		return nil, nil, err
	}
	s := &Skill{
		Name: p.text("name"), Description: p.text("description"), Path: file.path, Source: file.source,
		Hidden:  p.text("disable-model-invocation") == "true",
		License: p.text("license"), Compatibility: p.text("compatibility"),
		AllowedTools: p.list("allowed-tools"), Metadata: p.table("metadata"),
	}
	if s.Description == "" {
		return nil, nil, errors.New("is left out: a skill needs a description in its frontmatter")
	}
	if s.Name == "" {
		s.Name = defaultName(file.path)
	}
	return s, s.check(), nil
}

// defaultName is the name of a skill that has none: that of its folder or, if its file has a
// name of its own, that one.
func defaultName(path string) string {
	if filepath.Base(path) == skillFile {
		return filepath.Base(filepath.Dir(path))
	}
	return strings.TrimSuffix(filepath.Base(path), ".md")
}

// validName reports whether the standard allows a name: small letters, digits, and single
// hyphens between them.
func validName(name string) bool {
	for part := range strings.SplitSeq(name, "-") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

// check returns what the standard does not allow.
func (s *Skill) check() []string {
	var wrong []string
	if !validName(s.Name) {
		wrong = append(wrong, fmt.Sprintf("has the name %q; the Agent Skills standard allows small letters, digits, and single hyphens between them", s.Name))
	}
	for _, field := range []struct {
		name, text string
		limit      int
	}{{"name", s.Name, maxSkillName}, {"description", s.Description, maxDescription}, {"compatibility", s.Compatibility, maxCompatibility}} {
		if n := utf8.RuneCountInString(field.text); n > field.limit {
			wrong = append(wrong, fmt.Sprintf("has a %s of %d characters; the Agent Skills standard allows %d", field.name, n, field.limit))
		}
	}
	return wrong
}

// unique reports whether a file is the first with its name. The same file under another
// path is left out in silence, another one is a problem.
func (l *loader) unique(byName map[string]found, what, name string, file found) bool {
	first, taken := byName[name]
	if !taken {
		byName[name] = file
		return true
	}
	if !os.SameFile(first.info, file.info) {
		l.problem(file.path, fmt.Errorf("is left out: the %s %s is taken from %s", what, name, first.path))
	}
	return false
}

// flaggedLast puts what flags name behind everything else, where Pi 0.85 lists it.
func flaggedLast(a, b Source) int {
	switch x, y := a.Scope == Temporary, b.Scope == Temporary; {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

// Expand returns what a model gets of the skill: its instructions, read now, and the words
// that the user has added.
func (s *Skill) Expand(args string) (string, error) {
	text, err := readText(s.Path, maxText)
	if err != nil {
		return "", fmt.Errorf("skill %s: %s %w", s.Name, s.Path, cause(err))
	}
	p, err := parsePage(text)
	if err != nil {
		return "", fmt.Errorf("skill %s: %s %w", s.Name, s.Path, err)
	}
	expanded := fmt.Sprintf("<skill name=%s location=%s>\nPaths in this skill are relative to the folder %s.\n\n%s\n</skill>",
		quoted(s.Name), quoted(s.Path), filepath.Dir(s.Path), strings.TrimSpace(p.body))
	if args = strings.TrimSpace(args); args != "" {
		expanded += "\n\n" + args
	}
	return expanded, nil
}
