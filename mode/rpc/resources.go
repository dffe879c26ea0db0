package rpc

import (
	"context"

	"github.com/rondo-agent/rondo/resource"
)

// commandInfo is what get_commands says about a command that a prompt may begin with.
type commandInfo struct {
	Name        string     `json:"name"` // without the slash
	Description string     `json:"description,omitzero"`
	Source      string     `json:"source"` // prompt or skill
	SourceInfo  sourceInfo `json:"sourceInfo"`
}

type sourceInfo struct {
	Path    string         `json:"path"`
	Source  string         `json:"source"`
	Scope   resource.Scope `json:"scope"`
	Origin  string         `json:"origin"`
	BaseDir string         `json:"baseDir,omitzero"`
}

func getCommands(_ context.Context, s *server, _ *request) (any, error) {
	list := []commandInfo{}
	for _, c := range s.session.Commands() {
		list = append(list, commandInfo{
			Name: c.Name, Description: c.Description, Source: c.Kind,
			SourceInfo: sourceInfo{Path: c.Source.Path, Source: c.Source.Kind, Scope: c.Source.Scope, Origin: "top-level", BaseDir: c.Source.BaseDir},
		})
	}
	return map[string]any{"commands": list}, nil
}
