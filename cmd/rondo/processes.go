package main

import (
	"fmt"
	"path/filepath"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/resource"
)

// extensionHosts are what loads the files of extensions.
func (p *program) extensionHosts() []extension.HostKind {
	return append(p.scriptHosts(),
		extension.HostKind{Name: process.Kind, Open: openProcesses},
		extension.HostKind{Name: resource.HostNode, Open: openRemote("node", "--enable-source-maps")},
		extension.HostKind{Name: resource.HostBun, Open: openRemote("bun")},
	)
}

// openRemote opens a process for the scripts of one session that ask for it.
func openRemote(command ...string) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		home, err := config.Home()
		if err != nil {
			return nil, err
		}
		log := process.NewLog(filepath.Join(home, "logs", "extensions", command[0]+".log"))
		return script.Host(script.Settings{
			Home: home, Version: version, Dir: opts.CWD,
			Log:    func(line string) { _, _ = fmt.Fprintln(log, line) }, // stdout belongs to the program's protocol
			Remote: &script.Remote{Command: command, Log: log},
		})(opts)
	}
}

// openProcesses opens the host of programs. What they write to stderr is kept in the state
// folder.
func openProcesses(opts *extension.Options) (extension.Host, error) {
	home, err := config.Home()
	if err != nil {
		return nil, err
	}
	return process.Open(&process.Config{LogDir: filepath.Join(home, "logs", "extensions"), Version: versionText()})(opts)
}
