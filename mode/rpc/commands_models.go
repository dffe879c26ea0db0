package rpc

import (
	"context"
	"fmt"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

func getAvailableModels(_ context.Context, c *call, _ proto.None) (proto.Models, error) {
	models := c.opts.Models.Available()
	if models == nil {
		models = []*ai.Model{}
	}
	return proto.Models{Models: models}, nil
}

func setModel(_ context.Context, c *call, req proto.ModelName) (*proto.Model, error) {
	m := c.opts.Models.Get(req.Provider, req.ModelID)
	if m == nil {
		return nil, fmt.Errorf("model %s/%s is not available; get_available_models lists those that are", req.Provider, req.ModelID)
	}
	return m, c.session.SetModel(m)
}

func cycleModel(_ context.Context, c *call, _ proto.None) (*proto.CycledModel, error) {
	next, err := c.session.CycleModel()
	if next == nil {
		return nil, err
	}
	return &proto.CycledModel{Model: next.Model, ThinkingLevel: next.Thinking, IsScoped: next.Scoped}, err
}

func getAvailableThinkingLevels(_ context.Context, c *call, _ proto.None) (proto.ThinkingLevels, error) {
	levels := []ai.ThinkingLevel{ai.ThinkingOff}
	if m := c.session.State().Model; m != nil {
		levels = m.SupportedThinkingLevels()
	}
	return proto.ThinkingLevels{Levels: levels}, nil
}

func setThinkingLevel(_ context.Context, c *call, req proto.Thinking) (none proto.None, err error) {
	return none, c.session.SetThinking(req.Level)
}

func cycleThinkingLevel(_ context.Context, c *call, _ proto.None) (*proto.Thinking, error) {
	level, err := c.session.CycleThinking()
	if level == "" {
		return nil, err
	}
	return &proto.Thinking{Level: level}, err
}
