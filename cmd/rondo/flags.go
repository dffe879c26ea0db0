package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/internal/near"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

// flags is the command line.
type flags struct {
	print, continued, noSession, noTools, noBuiltinTools, listModels bool
	mode, provider, model, apiKey, thinking, script                  string
	session, sessionID, sessionDir, systemPrompt                     string
	tools, excludeTools, appendSystemPrompt                          []string
	args                                                             []string // messages and @files
	dash                                                             int      // how many of them stand before --

	fork, name, export string
	resume             bool
	models             []string // nil if not given

	approve, noApprove                          bool // trust in the project
	noSkills, noPromptTemplates, noContextFiles bool
	skills, promptTemplates                     []string

	extensions   []string
	noExtensions bool

	themes   []string
	useTheme string
	tuiMode  string
	noThemes bool
}

// shorts are aliases of more than one letter, which flag parsers do not know (Pi 0.85).
var shorts = map[string]string{
	"-nt": "--no-tools", "-nbt": "--no-builtin-tools", "-xt": "--exclude-tools",
	"-na": "--no-approve", "-ns": "--no-skills", "-np": "--no-prompt-templates", "-nc": "--no-context-files",
	"-ne": "--no-extensions",
}

// program is one run of the command line.
type program struct {
	in       io.Reader
	out, err io.Writer // out is for other programs, err for people
	show     io.Writer // standard output for people
	flags    flags
	cmd      *cobra.Command
	unknown  []*unknownFlag // which may be those of extensions
}

const long = `Rondo is a coding agent. It works in the current folder: it reads, edits and runs things
there, as you ask it to.

  rondo                                   work in the terminal
  rondo "explain main.go"                 the same, with a first message
  rondo -p "explain main.go"              print the answer
  git diff | rondo -p "review this"       with input
  rondo -p @notes.md "summarize"          with a file or an image
  rondo -p -c "and now fix it"            go on with the last session of this folder
  rondo --mode json "list the files"      every event as a JSON line
  rondo --mode rpc                        commands and events over stdin and stdout
  rondo serve                             the same over HTTP, with a page for browsers
  rondo auth login                        keys and logins of providers; see rondo auth --help
  rondo update --models                   fetch newer models and prices

Which model answers: --model, else the settings, else the first that has a key. Run rondo
auth login, set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or list models in
models.json. Without any, a scripted model shows what Rondo does, offline.

Files: RONDO_HOME (default ~/.rondo) holds settings.json, models.json, auth.json and
sessions/. Exit codes: 0 done, 1 the run failed, 2 nothing was run since the command line, a
file or a key is wrong, 128+n ended by signal n.`

func newCommand(in io.Reader, out, err io.Writer) *program {
	p := &program{in: in, out: out, err: text.NewWriter(err), show: text.NewWriter(out)}
	p.cmd = &cobra.Command{
		Use:           "rondo [flags] [@file ...] [message ...]",
		Short:         "A coding agent",
		Long:          long,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			p.flags.args, p.flags.dash = args, len(args)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				p.flags.dash = dash
			}
			if err := p.check(); err != nil {
				return asUsage(err)
			}
			return p.start(cmd.Context())
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	p.cmd.SetIn(in)
	p.cmd.SetOut(out)
	p.cmd.SetErr(p.err)
	p.cmd.SetVersionTemplate("rondo {{.Version}}\n")
	p.cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%w; see rondo --help", p.suggest(err)) })
	p.addFlags()
	return p
}

func (p *program) addFlags() {
	f, s := &p.flags, p.cmd.Flags()
	s.SortFlags = false
	s.BoolVarP(&f.print, "print", "p", false, "print the answer and exit")
	s.StringVar(&f.mode, "mode", "", "what to show: text, json or rpc")
	s.StringVar(&f.model, "model", "", "model: an id, provider/id or a part of one; :level at its end sets the thinking")
	s.StringVar(&f.provider, "provider", "", "provider of the model")
	s.StringVar(&f.thinking, "thinking", "", "thinking level: "+allowed("defaultThinkingLevel"))
	s.StringVar(&f.apiKey, "api-key", "", "key of the provider, before any other")
	s.StringSliceVar(&f.models, "models", nil, "models to switch between: as --model, or with * and ?")
	s.BoolVar(&f.listModels, "list-models", false, "list the models that can be used, and exit; a message searches among them")
	s.StringVar(&f.script, "script", "", "with --model scripted: a file with the model's replies")
	s.BoolVarP(&f.continued, "continue", "c", false, "go on with the newest session of this folder")
	s.StringVar(&f.session, "session", "", "go on with a session: its file, or a part of its id")
	s.StringVar(&f.sessionID, "session-id", "", "go on with the session of exactly this id, or begin it")
	s.StringVar(&f.sessionDir, "session-dir", "", "folder for session files")
	s.StringVar(&f.fork, "fork", "", "begin a session in this folder with all of another one: its file, or a part of its id")
	s.BoolVarP(&f.resume, "resume", "r", false, "choose the session to go on with")
	s.StringVarP(&f.name, "name", "n", "", "name the session")
	s.StringVar(&f.export, "export", "", "write a session as a page, and exit: its file, or a part of its id; a message names the page, or a .jsonl file")
	s.BoolVar(&f.noSession, "no-session", false, "do not keep the session")
	s.StringSliceVarP(&f.tools, "tools", "t", nil, "tools to offer: read, bash, edit, write, grep, find, ls")
	s.StringSliceVar(&f.excludeTools, "exclude-tools", nil, "tools not to offer (also -xt)")
	s.BoolVar(&f.noTools, "no-tools", false, "offer no tools (also -nt)")
	s.BoolVar(&f.noBuiltinTools, "no-builtin-tools", false, "offer none of the built-in tools (also -nbt)")
	s.StringVar(&f.systemPrompt, "system-prompt", "", "replace the system prompt: text, or a file")
	s.StringArrayVar(&f.appendSystemPrompt, "append-system-prompt", nil, "add to the system prompt: text, or a file; may be repeated")
	s.StringArrayVar(&f.skills, "skill", nil, "a skill, or a folder of them; may be repeated")
	s.BoolVar(&f.noSkills, "no-skills", false, "use no skills but those of --skill (also -ns)")
	s.StringArrayVar(&f.promptTemplates, "prompt-template", nil, "a prompt template, or a folder of them; may be repeated")
	s.BoolVar(&f.noPromptTemplates, "no-prompt-templates", false, "use no prompt templates but those of --prompt-template (also -np)")
	s.BoolVar(&f.noContextFiles, "no-context-files", false, "do not read AGENTS.md and CLAUDE.md (also -nc)")
	s.StringArrayVarP(&f.extensions, "extension", "e", nil, "an extension: its file, or its folder; may be repeated")
	s.BoolVar(&f.noExtensions, "no-extensions", false, "use no extensions but those of --extension (also -ne)")
	s.Bool("no-mcp", false, "of Pi 1.6, for scripts: there are no MCP servers")
	_ = s.MarkHidden("no-mcp")
	s.StringArrayVar(&f.themes, "theme", nil, "a theme of the terminal: its file, or a folder of them; may be repeated")
	s.StringVar(&f.tuiMode, "tui-mode", "", "how the terminal is used: "+allowed("tuiMode"))
	s.StringVar(&f.useTheme, "use-theme", "", "name of the theme to use, or of two: light/dark")
	s.BoolVar(&f.noThemes, "no-themes", false, "use no theme files but those of --theme")
	s.BoolVarP(&f.approve, "approve", "a", false, "trust the project for this run: its settings, skills, templates and system prompt count")
	s.BoolVar(&f.noApprove, "no-approve", false, "do not trust the project for this run (also -na)")
}

func (p *program) run(ctx context.Context, args []string) error {
	if found, err := p.runCommand(ctx, args); found {
		return err
	}
	p.cmd.SetArgs(p.takeExtensionFlags(expandShorts(args), p.cmd.Flags()))
	return p.cmd.ExecuteContext(ctx)
}

// expandShorts rewrites aliases of more than one letter, up to --.
func expandShorts(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		name, value, hasValue := strings.Cut(arg, "=")
		if long, ok := shorts[name]; ok {
			args[i] = long
			if hasValue {
				args[i] += "=" + value
			}
		}
	}
	return args
}

// check looks at what the parser does not know of flags.
func (p *program) check() error {
	f := &p.flags
	var empty, sessions []string
	p.cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "system-prompt": // empty stands for the built-in one
		case "continue", "session", "no-session", "fork", "resume", "export":
			sessions = append(sessions, "--"+flag.Name)
			fallthrough
		default:
			if flag.Value.Type() == "string" && flag.Value.String() == "" {
				empty = append(empty, "--"+flag.Name)
			}
		}
	})
	if f.sessionID != "" && f.fork == "" { // a fork may be given its id
		sessions = append(sessions, "--session-id")
	}
	f.extensions = slices.DeleteFunc(f.extensions, func(name string) bool {
		builtin := strings.HasPrefix(name, "builtin:") // of Pi 1.6
		if builtin {
			p.note("-e " + name + " is left out: rondo has no built-in extensions")
		}
		return builtin
	})
	p.passOver(&f.thinking, "thinking", "defaultThinkingLevel")
	p.passOver(&f.tuiMode, "tui-mode", "tuiMode")
	switch {
	case f.approve && f.noApprove:
		return errors.New("--approve and --no-approve contradict each other: use one of them")
	case len(empty) > 0:
		return fmt.Errorf("%s is empty: give it a value, or leave it out", empty[0])
	case len(sessions) > 1:
		return fmt.Errorf("%s contradict each other: use one of them", strings.Join(sessions, " and "))
	case f.script != "" && f.model != "" && !rondo.IsScripted(f.model):
		return fmt.Errorf("--script is for --model scripted, not for --model %s: leave one of them out", f.model)
	}
	return nil
}

// allowed lists the values of a setting, for help.
func allowed(setting string) string {
	row, _ := config.FindSetting(setting)
	return strings.Join(row.Values, ", ")
}

// passOver tells of a value that a flag cannot have, and goes on without it. The flag has the values
// of a setting.
func (p *program) passOver(value *string, flag, setting string) {
	row, _ := config.FindSetting(setting)
	if *value != "" && !slices.Contains(row.Values, *value) {
		p.note(fmt.Sprintf("--%s %s is left out: use one of %s", flag, *value, strings.Join(row.Values, ", ")))
		*value = ""
	}
}

// suggest adds to an error about an unknown flag those that were perhaps meant.
func (p *program) suggest(err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	return p.suggestFor(err, unknown.GetSpecifiedName())
}

// suggestFor adds to an error about a name those that were perhaps meant.
func (p *program) suggestFor(err error, name string) error {
	var similar []string
	for _, flag := range p.flagNames() {
		if len(name) > 1 && (strings.HasPrefix(flag, name) || strings.Contains(flag, "-"+name)) {
			similar = append(similar, flag)
		}
	}
	if similar == nil {
		similar = near.Names(name, p.flagNames())
	}
	if len(similar) == 0 {
		return err
	}
	return fmt.Errorf("%w (did you mean --%s?)", err, strings.Join(similar, " or --"))
}

func usage(format string, args ...any) error {
	return &mode.UsageError{Err: fmt.Errorf(format, args...)}
}

// asUsage marks err as a mistake of the user's, unless it says that itself.
func asUsage(err error) error {
	if _, ok := errors.AsType[*mode.UsageError](err); ok || err == nil {
		return err
	}
	return &mode.UsageError{Err: err}
}

func versionText() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return version + " (" + s.Value[:12] + ")"
			}
		}
	}
	return version
}

func (p *program) flagNames() []string {
	var names []string
	p.cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
