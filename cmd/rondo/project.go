package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/resource"
)

// project is a folder to work in, with what of its files counts.
type project struct {
	*resource.Project
	verdict resource.Verdict
	cfg     *config.Config // with the settings of the project
}

// enter decides whether the files of a folder count. ctx bounds what extensions are asked.
func (p *program) enter(ctx context.Context, cfg *config.Config, dir string) (*project, error) {
	opened, err := resource.Open(dir, cfg.Home)
	if err != nil {
		return nil, err
	}
	opts := &resource.TrustOptions{
		Flag: p.flags.trust(), Default: cfg.Settings.DefaultProjectTrust,
		Extensions: func([]string) (*bool, error) { return p.askExtensions(ctx, cfg, opened) },
	}
	if p.askTrust != nil {
		opts.Ask = func(gated []string) (bool, error) { return p.askTrust(opened, dir, gated) }
	}
	verdict, err := opened.Judge(opts)
	if err != nil {
		return nil, err
	}
	var files []string
	if verdict.Trusted {
		files = opened.Settings()
	}
	if cfg, err = cfg.WithProject(files...); err != nil {
		return nil, err
	}
	return &project{opened, verdict, cfg}, nil
}

// trust returns what the command line says about trust; nil if nothing.
func (f *flags) trust() *bool {
	if f.approve || f.noApprove {
		return &f.approve
	}
	return nil
}

// options say what of the project's files counts.
func (pr *project) options() *resource.Options {
	opts := &resource.Options{Trusted: pr.verdict.Trusted}
	for _, list := range pr.cfg.Lists {
		opts.Lists = append(opts.Lists, resource.List(list))
	}
	return opts
}

// load finds the resources, and returns notes about what is left out.
func (pr *project) load(f *flags) (*resource.Set, []string, error) {
	opts := pr.options()
	opts.Skills, opts.Templates = f.skills, f.promptTemplates
	opts.NoSkills, opts.NoTemplates, opts.NoContextFiles = f.noSkills, f.noPromptTemplates, f.noContextFiles
	set, err := pr.Load(opts)
	if err != nil {
		return nil, nil, err
	}
	return set, append(pr.untrusted(), problems(set)...), nil
}

// untrusted says what is left out since the project is not trusted. Who has said so on this
// command line need not be told.
func (pr *project) untrusted() []string {
	v := pr.verdict
	if v.Trusted || len(v.Gated) == 0 || v.Reason == resource.ByFlag || v.Reason == resource.ByAnswer {
		return nil
	}
	return []string{fmt.Sprintf("the project is not trusted, so its %s left out; --approve counts them for this run, and an entry in %s for good",
		enumerate(v.Gated), filepath.Join(pr.cfg.Home, resource.TrustFile))}
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

// useProxy makes the proxy of the settings that of requests and commands, unless the
// environment names one.
func useProxy(cfg *config.Config) {
	if cfg.Settings.HTTPProxy == "" {
		return
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		if os.Getenv(name) == "" && os.Getenv(strings.ToLower(name)) == "" {
			_ = os.Setenv(name, cfg.Settings.HTTPProxy) // it fails for an impossible name alone
		}
	}
}
