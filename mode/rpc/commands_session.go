package rpc

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/html"
)

// replaced makes the answer of a command that replaces the session; a replacement that was
// called off is no failure.
func replaced(err error) (proto.Replacement, error) {
	if errors.Is(err, session.ErrCancelled) {
		return proto.Replacement{Cancelled: true}, nil
	}
	return proto.Replacement{}, err
}

func newSession(ctx context.Context, c *call, req proto.NewSessionRequest) (proto.Replacement, error) {
	return replaced(c.runtime.New(ctx, req.ParentSession))
}

func switchSession(ctx context.Context, c *call, req proto.SwitchRequest) (proto.Replacement, error) {
	if req.SessionPath == "" {
		return proto.Replacement{}, c.missing("sessionPath", "name the session's file")
	}
	return replaced(c.runtime.Switch(ctx, req.SessionPath))
}

func fork(ctx context.Context, c *call, req proto.ForkRequest) (proto.ForkAnswer, error) {
	if req.EntryID == "" {
		return proto.ForkAnswer{}, c.missing("entryId", "get_fork_messages lists the messages to fork at")
	}
	text, err := c.runtime.Fork(ctx, transcript.EntryID(req.EntryID), session.Before)
	answer := proto.ForkAnswer{Text: &text}
	if err != nil {
		answer.Text = nil
		answer.Replacement, err = replaced(err)
	}
	return answer, err
}

func clone(ctx context.Context, c *call, _ proto.None) (proto.Replacement, error) {
	return replaced(c.runtime.Clone(ctx))
}

// carryOver switches a session that has taken another's place as the client wants it.
func (c *connection) carryOver() {
	now := c.runtime.Session()
	if on := c.autoCompaction.Load(); on != nil {
		now.SetAutoCompaction(*on)
	}
	if on := c.autoRetry.Load(); on != nil {
		now.SetAutoRetry(*on)
	}
}

func setSessionName(_ context.Context, c *call, req proto.NameRequest) (none proto.None, err error) {
	return none, c.session.SetName(req.Name)
}

func getSessionStats(_ context.Context, c *call, _ proto.None) (proto.Stats, error) {
	st, err := c.session.Stats()
	if err != nil {
		return proto.Stats{}, err
	}
	return proto.Stats{
		SessionFile: st.SessionFile, SessionID: st.SessionID,
		UserMessages: st.UserMessages, AssistantMessages: st.AssistantMessages,
		ToolCalls: st.ToolCalls, ToolResults: st.ToolResults, TotalMessages: st.TotalMessages,
		Tokens: proto.TokenCounts(st.Tokens), Cost: st.Cost, ContextUsage: (*proto.ContextUsage)(st.ContextUsage),
	}, nil
}

// exportHTML writes a file only: a pipe would hold the command until another program reads it.
func exportHTML(_ context.Context, c *call, req proto.ExportRequest) (proto.Exported, error) {
	if info, err := os.Stat(req.OutputPath); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return proto.Exported{}, fmt.Errorf("export to %s: that is a pipe or a device; name a file", req.OutputPath)
	}
	path, err := html.File(c.session.Store(), req.OutputPath, &html.Options{ToolView: c.session.ToolView})
	return proto.Exported{Path: path}, err
}
