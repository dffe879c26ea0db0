package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/extension"
)

// takeExtensionFlags takes flags that this program does not know out of a command line: they
// may be those of extensions. An argument behind one may be its value; it is replaced by a
// mark, until the extensions are known. flags are those that the program knows.
func (p *program) takeExtensionFlags(args []string, flags *pflag.FlagSet) []string {
	var rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(rest, args[i:]...)
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if !strings.HasPrefix(arg, "--") || name == "help" || name == "version" {
			rest = append(rest, arg)
			if takesValue(flags, arg) && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
			continue
		}
		if known := flags.Lookup(name); known != nil {
			rest = append(rest, arg)
			if !hasValue && known.NoOptDefVal == "" && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
			continue
		}
		flag := &unknownFlag{name: name, value: value, hasValue: hasValue}
		if !hasValue && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && !strings.HasPrefix(args[i+1], "@") {
			i++
			flag.next = &args[i]
			rest = append(rest, flag.mark())
		}
		p.unknown = append(p.unknown, flag)
	}
	return rest
}

// takesValue reports whether a short flag takes the argument behind it.
func takesValue(flags *pflag.FlagSet, arg string) bool {
	if len(arg) != 2 || arg[0] != '-' {
		return false
	}
	f := flags.ShorthandLookup(arg[1:])
	return f != nil && f.NoOptDefVal == ""
}

// unknownFlag is a flag that this program does not know.
type unknownFlag struct {
	name, value string
	hasValue    bool
	next        *string // the argument behind it, which may be its value
}

// mark stands for the argument behind the flag.
func (f *unknownFlag) mark() string { return "\x00" + f.name }

// settleFlags gives the extensions their flags. What none of them knows is an error.
func (p *program) settleFlags(w *rondo.Workspace) error {
	values := make(map[string]any)
	known := w.Flags()
	taken := make(map[string]bool)
	for _, flag := range p.unknown {
		var def *extension.Flag
		for _, candidate := range known {
			if candidate.Name == flag.name {
				def = candidate
			}
		}
		if def == nil {
			return usage("%w; see rondo --help", p.suggestFor(&unknownFlagError{flag.name}, flag.name))
		}
		_, isBool := def.Default.(bool)
		switch {
		case isBool || def.Boolean:
			values[flag.name] = !flag.hasValue || flag.value != "false"
		case flag.hasValue:
			values[flag.name] = flag.value
		case flag.next != nil:
			values[flag.name], taken[flag.mark()] = *flag.next, true
		default:
			return usage("--%s needs a value, such as --%s=text", flag.name, flag.name)
		}
	}
	w.SetFlags(values)
	p.putBack(taken)
	return nil
}

// putBack puts the arguments that are nobody's values in their places again.
func (p *program) putBack(taken map[string]bool) {
	var args []string
	dash := p.flags.dash
	for i, arg := range p.flags.args {
		if i >= p.flags.dash || !strings.HasPrefix(arg, "\x00") {
			args = append(args, arg)
			continue
		}
		if taken[arg] {
			dash--
			continue
		}
		for _, flag := range p.unknown {
			if flag.next != nil && flag.mark() == arg {
				arg = *flag.next
				break
			}
		}
		args = append(args, arg)
	}
	p.flags.args, p.flags.dash = args, dash
}

// unknownFlagError says that there is no such flag.
type unknownFlagError struct{ name string }

func (e *unknownFlagError) Error() string { return "unknown flag: --" + e.name }
