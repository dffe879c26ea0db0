package rondo

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/internal/textfile"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/tools/host"
)

// Options are the settings of an [App]. The zero value works in the process's folder, with the
// user's own configuration.
type Options struct {
	// Home is the state folder, which need not exist; empty stands for [config.Home].
	Home string
	// Dir is the folder that sessions work in unless they name one; empty stands for the
	// process's working folder.
	Dir string
	// Version is what extensions and servers are told of the program.
	Version string

	Models     ModelOptions
	Storage    StorageOptions
	Tools      ToolOptions
	Prompt     PromptOptions
	Resources  ResourceOptions
	Extensions ExtensionOptions
	Trust      TrustOptions

	// Note, if set, gets notices for people, a sentence each: failures of extensions, an
	// extension that is slow to load, telemetry that cannot be sent. It may be called from any
	// goroutine. Notices about one session are in [Session.Notes].
	Note func(text string)
	// Telemetry sends spans and metrics where the environment says so (OTEL_EXPORTER_OTLP_…).
	Telemetry bool
}

// ModelOptions choose the model that answers. Without any, it is the default of the settings,
// else the first that has a key, else a scripted demo.
type ModelOptions struct {
	// Provider and Model name the model as [config.Config.Find] reads them: an id,
	// provider/id or a part of one; :level at the end of Model sets the thinking level.
	Provider, Model string
	// Thinking is the level to begin with; empty leaves it to the model's name, the session
	// or the settings.
	Thinking ai.ThinkingLevel
	// APIKey is used for the provider before any other key.
	APIKey string
	// Scope are patterns of the models to switch between; nil stands for the setting
	// enabledModels.
	Scope []string
	// Script is a file with the replies of the scripted model.
	Script string
	// Custom is a model that needs no configuration; Stream answers for it.
	Custom *ai.Model
	Stream ai.StreamFunc
}

// StorageOptions say where sessions are kept.
type StorageOptions struct {
	// Dir is the folder of session files; empty stands for that of the configuration.
	Dir string
	// InMemory keeps new sessions in no file.
	InMemory bool
}

// ToolOptions choose the tools of a session.
type ToolOptions struct {
	// Names are the tools to offer; nil stands for the setting defaultTools.
	Names []string
	// Exclude are tools not to offer, whatever else names them.
	Exclude []string
	// None offers no tool, NoBuiltin none but those of extensions and Custom.
	None, NoBuiltin bool
	// Host is where the built-in tools and the user's commands work; nil is this machine.
	Host host.Host
	// Custom are tools of the embedding program. They are active unless Exclude names them.
	Custom []tools.Definition
}

// PromptOptions change the system prompt.
type PromptOptions struct {
	// System replaces the built-in text and SYSTEM.md; nil keeps them.
	System *Text
	// Append follows the prompt in place of APPEND_SYSTEM.md; nil keeps that.
	Append []Text
}

// Text is a text, or a file that it is read from whenever a session is opened.
type Text struct{ Text, File string }

// TextOrFile returns the file that value names, or else value as a text.
func TextOrFile(value string) Text {
	if info, err := os.Stat(value); value == "" || err != nil || !info.Mode().IsRegular() {
		return Text{Text: value}
	}
	return Text{File: value}
}

// read returns the text.
func (t Text) read() (string, error) {
	if t.File == "" {
		return t.Text, nil
	}
	data, err := os.ReadFile(t.File)
	text, _ := textfile.Decode(data)
	return text, err
}

// ResourceOptions add resources to those of the user and of the project. The switches leave all
// others out.
type ResourceOptions struct {
	Skills, Templates, Themes                       []string // files or folders
	NoSkills, NoTemplates, NoThemes, NoContextFiles bool
}

// ExtensionOptions choose the extensions of sessions.
type ExtensionOptions struct {
	// Paths are files or folders; one that cannot be loaded is an error.
	Paths []string
	// None leaves out all others, those of the program included.
	None bool
	// Sources are loaded before those of Paths. A source with a Factory is compiled in.
	Sources []extension.Source
	// Hosts load files of further kinds, before the hosts of this package are asked.
	Hosts []extension.HostKind
	// Terminal is drawn on by scripts; nil if there is none.
	Terminal script.Terminal
	// Themes, if set, is told of theme files that the extensions of a session bring.
	Themes func(paths []string)
}

// TrustOptions decide whether the files of a project count that can run code or change what is
// sent where.
type TrustOptions struct {
	// Decision, if set, decides.
	Decision *bool
	// Ask asks a person, if nothing else decides; nil answers no.
	Ask func(ctx context.Context, q *TrustQuestion) (trusted bool, err error)
}

// TrustQuestion asks whether the files of a folder may be used.
type TrustQuestion struct {
	Dir   string
	Gated []string // the files and folders in question, relative to Dir
	// Remember keeps the answer for this folder in the state folder.
	Remember func(trusted bool) error
}

// OptionError is an option that cannot be used. It is what [New] returns for misuse.
type OptionError struct {
	Option  string // such as Models.Thinking
	Problem string // what is wrong, and what to do
}

func (e *OptionError) Error() string { return "rondo: option " + e.Option + ": " + e.Problem }

// check refuses options that contradict themselves.
func (o *Options) check() error {
	if o.Dir != "" {
		if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
			return &OptionError{"Dir", fmt.Sprintf("%s is not a folder: name one that exists", o.Dir)}
		}
	}
	if o.Storage.InMemory && o.Storage.Dir != "" {
		return &OptionError{"Storage", "Dir and InMemory contradict each other: set one of them"}
	}
	if err := o.Models.check(); err != nil {
		return err
	}
	if err := o.Tools.check("Tools"); err != nil {
		return err
	}
	for i, source := range o.Extensions.Sources {
		if source.Path == "" {
			return &OptionError{fmt.Sprintf("Extensions.Sources[%d]", i), "has no Path: give it a name"}
		}
	}
	for i, host := range o.Extensions.Hosts {
		if host.Open == nil {
			return &OptionError{fmt.Sprintf("Extensions.Hosts[%d]", i), "has no Open"}
		}
	}
	return nil
}

func (o *ModelOptions) check() error {
	switch {
	case o.Thinking != "" && !slices.Contains(ai.ThinkingLevels, o.Thinking):
		return &OptionError{"Models.Thinking", fmt.Sprintf("there is no level %q: use one of %v", o.Thinking, ai.ThinkingLevels)}
	case o.Custom != nil && o.Stream == nil:
		return &OptionError{"Models.Stream", "is nil: set what answers for the custom model"}
	case o.Custom == nil && o.Stream != nil:
		return &OptionError{"Models.Custom", "is nil: describe the model that Stream answers for"}
	case o.Custom != nil && (o.Custom.Provider == "" || o.Custom.ID == ""):
		return &OptionError{"Models.Custom", "has no Provider or no ID: set both"}
	case o.Script != "" && o.Model != "" && !IsScripted(o.Model):
		return &OptionError{"Models.Script", fmt.Sprintf("is for the scripted model, not for %s: leave one of them out", o.Model)}
	}
	return nil
}

func (o *ToolOptions) check(option string) error {
	seen := make(map[string]bool)
	for i, d := range o.Custom {
		at := fmt.Sprintf("%s.Custom[%d]", option, i)
		switch {
		case d.Tool == nil || d.Name == "":
			return &OptionError{at, "is no tool: give it a Tool with a name"}
		case d.Execute == nil:
			return &OptionError{at, "the tool " + d.Name + " has no Execute"}
		case seen[d.Name]:
			return &OptionError{at, "the tool " + d.Name + " is there twice"}
		}
		seen[d.Name] = true
	}
	return nil
}
