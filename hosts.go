package rondo

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/resource"
)

// hosts are what loads the files of extensions.
func (l *loader) hosts(permissions *permissions) []extension.HostKind {
	return append(append([]extension.HostKind(nil), l.opts.Hosts...),
		extension.HostKind{Suffixes: script.Suffixes, Open: l.openScripts(permissions)},
		extension.HostKind{Name: process.Kind, Open: l.openProcesses(permissions)},
		extension.HostKind{Name: resource.HostNode, Open: l.openRemote(permissions, "node", "--enable-source-maps")},
		extension.HostKind{Name: resource.HostBun, Open: l.openRemote(permissions, "bun")},
	)
}

// openScripts opens the machines for the scripts of one session. Their console goes to stderr:
// stdout belongs to the program's protocol, or is drawn on. Nothing is set up before a script is
// loaded.
func (l *loader) openScripts(permissions *permissions) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		home := permissions.cfg.Home
		return script.Host(script.Settings{
			Cache: filepath.Join(home, "cache", "scripts"), Home: home, Version: l.version, Dir: opts.CWD, Permit: permissions.of,
			Log: logLine, Terminal: l.opts.Terminal,
		})(opts)
	}
}

// logLine writes a line of a script's console, so that it cannot command a terminal.
func logLine(line string) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		line = text.CleanSource(line)
	}
	fmt.Fprintln(os.Stderr, line)
}

// openRemote opens a process for the scripts of one session that ask for it.
func (l *loader) openRemote(permissions *permissions, command ...string) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		home := permissions.cfg.Home
		log := process.NewLog(filepath.Join(home, "logs", "extensions", command[0]+".log"))
		return script.Host(script.Settings{
			Home: home, Version: l.version, Dir: opts.CWD, Permit: permissions.of,
			Log:    func(line string) { _, _ = fmt.Fprintln(log, line) }, // stdout belongs to the program's protocol
			Remote: &script.Remote{Command: command, Log: log},
		})(opts)
	}
}

// openProcesses opens the host of programs. Their stderr is kept in the state folder.
func (l *loader) openProcesses(permissions *permissions) extension.OpenHost {
	return func(opts *extension.Options) (extension.Host, error) {
		logs := filepath.Join(permissions.cfg.Home, "logs", "extensions")
		host, err := process.Open(&process.Config{LogDir: logs, Version: l.version})(opts)
		if err != nil {
			return nil, err
		}
		return &unbounded{host, "a process of its own", permissions}, nil
	}
}
