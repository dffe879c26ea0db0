package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// openScripts opens the machines for the scripts of one session. What they write to the console
// goes to stderr: stdout belongs to the program's protocol, or is drawn on. Nothing is set up before a script is
// loaded.
func (p *program) openScripts(permissions *permissions) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		home := permissions.cfg.Home
		return script.Host(script.Settings{
			Cache: filepath.Join(home, "cache", "scripts"), Home: home, Version: version, Dir: opts.CWD, Permit: permissions.of,
			Log: func(line string) { fmt.Fprintln(os.Stderr, line) }, Terminal: p.direct,
		})(opts)
	}
}
