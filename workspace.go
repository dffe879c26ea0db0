package rondo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/resource"
)

// Workspace is a folder to work in: which of its files count, the configuration with its
// settings, and the extensions that count there. [App.Open] gives one to a session, which owns
// it from then on; a workspace of no session is closed with [Workspace.Close].
type Workspace struct {
	project    *resource.Project
	verdict    resource.Verdict
	cfg        *config.Config // with the settings of the project
	extensions *extensions
	loader     *loader
	resources  *ResourceOptions
	notes      []string // for people
}

// Workspace enters a folder and loads its extensions; an empty dir stands for that of the App.
// ctx bounds what people and extensions are asked.
func (a *App) Workspace(ctx context.Context, dir string) (*Workspace, error) {
	if dir == "" {
		dir = a.dir
	}
	return a.enter(ctx, a.cfg, dir)
}

// enter decides whether the files of a folder count, and loads the extensions that do.
func (a *App) enter(ctx context.Context, cfg *config.Config, dir string) (*Workspace, error) {
	opened, err := resource.Open(dir, cfg.Home)
	if err != nil {
		return nil, err
	}
	w := &Workspace{project: opened, cfg: cfg, loader: a.loader, resources: &a.opts.Resources}
	if w.verdict, err = a.judge(ctx, w); err != nil {
		return nil, err
	}
	var files []string
	if w.verdict.Trusted {
		files = opened.Settings()
	}
	if w.cfg, err = cfg.WithProject(files...); err != nil {
		return nil, err
	}
	if w.extensions, err = a.loader.load(ctx, w); err != nil {
		return nil, err
	}
	for _, wrong := range w.cfg.Warnings() {
		if slices.Contains(files, wrong.Path) { // the user's are told by New
			w.notes = append(w.notes, passedOver(wrong))
		}
	}
	w.notes = append(w.notes, w.extensions.notes...)
	return w, nil
}

// judge decides whether the gated files of a project count.
func (a *App) judge(ctx context.Context, w *Workspace) (resource.Verdict, error) {
	opts := &resource.TrustOptions{
		Flag: a.opts.Trust.Decision, Default: w.cfg.Settings.DefaultProjectTrust,
		Extensions: func([]string) (*bool, error) { return a.loader.askTrust(ctx, w) },
	}
	if ask := a.opts.Trust.Ask; ask != nil {
		opts.Ask = func(gated []string) (bool, error) {
			return ask(ctx, &TrustQuestion{Dir: w.Dir(), Gated: gated, Remember: w.project.Remember})
		}
	}
	return w.project.Judge(opts)
}

// Dir returns the folder, with links resolved.
func (w *Workspace) Dir() string { return w.project.Dir() }

// Trusted reports whether the files of the project count that can run code.
func (w *Workspace) Trusted() bool { return w.verdict.Trusted }

// Config returns the configuration with the settings of the project and the providers of the
// extensions.
func (w *Workspace) Config() *config.Config { return w.extensions.providers.config() }

// Notes are notices for people about what was found.
func (w *Workspace) Notes() []string { return w.notes }

// Flags lists the flags that the extensions have registered.
func (w *Workspace) Flags() []*extension.Flag { return w.extensions.runner.Flags() }

// SetFlags gives the extensions the values of their flags, bools and texts by name. They count
// for all workspaces that the App enters from now on.
func (w *Workspace) SetFlags(values map[string]any) {
	w.loader.setFlags(values)
	w.extensions.runner.SetFlags(values)
}

// Themes returns the files of themes that count, and notices about those that do not.
func (w *Workspace) Themes() (files, notes []string) {
	files, problems := w.project.Themes(w.options())
	for _, problem := range problems {
		notes = append(notes, problem.String())
	}
	return files, notes
}

// Close ends the extensions of a workspace that no session owns.
func (w *Workspace) Close() error { return w.extensions.close() }

// options say which resources of the project and the user count.
func (w *Workspace) options() *resource.Options {
	opts := &resource.Options{Trusted: w.verdict.Trusted}
	for _, list := range w.cfg.Lists {
		opts.Lists = append(opts.Lists, resource.List(list))
	}
	return opts
}

// load finds the resources, with more of them, and returns notes about what is left out.
func (w *Workspace) load(skills, templates []string) (*resource.Set, []string, error) {
	opts, r := w.options(), w.resources
	opts.Skills = append(append([]string(nil), r.Skills...), skills...)
	opts.Templates = append(append([]string(nil), r.Templates...), templates...)
	opts.NoSkills, opts.NoTemplates, opts.NoContextFiles = r.NoSkills, r.NoTemplates, r.NoContextFiles
	set, err := w.project.Load(opts)
	if err != nil {
		return nil, nil, err
	}
	return set, append(w.untrusted(), problems(set)...), nil
}

// existing returns those of the paths that exist: an extension may name a folder that is filled
// later.
func (w *Workspace) existing(paths []string) (out []string) {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.Dir(), path)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			out = append(out, path)
		}
	}
	return out
}

// untrusted says what is left out since the project is not trusted. A person who has decided
// that for this run is not told.
func (w *Workspace) untrusted() []string {
	v := w.verdict
	if v.Trusted || len(v.Gated) == 0 || v.Reason == resource.ByFlag || v.Reason == resource.ByAnswer {
		return nil
	}
	return []string{fmt.Sprintf("the project is not trusted, so its %s left out; --approve counts them for this run, and an entry in %s for good",
		enumerate(v.Gated), filepath.Join(w.cfg.Home, resource.TrustFile))}
}

// enumerate names up to three things, for a sentence that goes on.
func enumerate(names []string) string {
	switch n := len(names); {
	case n == 1:
		return names[0] + " is"
	case n > 3:
		return fmt.Sprintf("%s and %d more are", strings.Join(names[:2], ", "), n-2)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " are"
	}
}

// maxProblems is how many problems with resources are told.
const maxProblems = 5

func problems(set *resource.Set) []string {
	var notes []string
	for i, problem := range set.Problems {
		if i == maxProblems {
			notes = append(notes, fmt.Sprintf("%d more skills or templates are not as they should be", len(set.Problems)-maxProblems))
			break
		}
		notes = append(notes, problem.String())
	}
	return notes
}
