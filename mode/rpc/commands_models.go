package rpc

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// null is the data of a command that found nothing to change.
var null = jsontext.Value("null")

func cycleModel(_ context.Context, s *server, _ *request) (any, error) {
	next, err := s.session.CycleModel()
	if next == nil {
		return null, err
	}
	return next, err
}

func cycleThinkingLevel(_ context.Context, s *server, _ *request) (any, error) {
	level, err := s.session.CycleThinking()
	if level == "" {
		return null, err
	}
	return map[string]ai.ThinkingLevel{"level": level}, err
}
