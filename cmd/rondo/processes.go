package main

import (
	"path/filepath"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
)

// extensionHosts are what loads the files of extensions.
func extensionHosts() []extension.HostKind {
	return append(scriptHosts(), extension.HostKind{Name: process.Kind, Open: openProcesses})
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
