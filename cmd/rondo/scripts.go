package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// scriptHosts is the host of TypeScript and JavaScript. Nothing of it is set up before such a
// file is loaded.
func (p *program) scriptHosts() []extension.HostKind {
	return []extension.HostKind{{Suffixes: script.Suffixes, Open: p.openScripts}}
}

// openScripts opens a machine for the scripts of one session. What they write to the console
// goes to stderr: stdout belongs to the program's protocol, or is drawn on.
func (p *program) openScripts(opts *extension.Options) (extension.Host, error) {
	home, err := config.Home()
	if err != nil {
		return nil, err
	}
	return script.Host(script.Settings{
		Cache: filepath.Join(home, "cache", "scripts"), Home: home, Version: version, Dir: opts.CWD,
		Log: func(line string) { fmt.Fprintln(os.Stderr, line) }, Terminal: p.direct,
	})(opts)
}
