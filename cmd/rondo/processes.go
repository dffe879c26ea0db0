package main

import (
	"fmt"
	"path/filepath"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/resource"
)

// extensionHosts are what loads the files of extensions.
func (p *program) extensionHosts(permissions *permissions) []extension.HostKind {
	return []extension.HostKind{
		{Suffixes: script.Suffixes, Open: p.openScripts(permissions)},
		{Name: process.Kind, Open: openProcesses(permissions)},
		{Name: resource.HostNode, Open: openRemote(permissions, "node", "--enable-source-maps")},
		{Name: resource.HostBun, Open: openRemote(permissions, "bun")},
	}
}

// openRemote opens a process for the scripts of one session that ask for it.
func openRemote(permissions *permissions, command ...string) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		home := permissions.cfg.Home
		log := process.NewLog(filepath.Join(home, "logs", "extensions", command[0]+".log"))
		return script.Host(script.Settings{
			Home: home, Version: version, Dir: opts.CWD, Permit: permissions.of,
			Log:    func(line string) { _, _ = fmt.Fprintln(log, line) }, // stdout belongs to the program's protocol
			Remote: &script.Remote{Command: command, Log: log},
		})(opts)
	}
}

// openProcesses opens the host of programs. What they write to stderr is kept in the state
// folder.
func openProcesses(permissions *permissions) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		logs := filepath.Join(permissions.cfg.Home, "logs", "extensions")
		host, err := process.Open(&process.Config{LogDir: logs, Version: versionText()})(opts)
		if err != nil {
			return nil, err
		}
		return &unbounded{host, "a process of its own", permissions}, nil
	}
}
