package rpc

import "context"

func getCommands(_ context.Context, s *server, _ *request) (any, error) {
	return map[string]any{"commands": s.session.CommandInfos()}, nil
}
