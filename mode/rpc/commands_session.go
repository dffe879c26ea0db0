package rpc

import (
	"context"
	"errors"

	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/html"
)

// replacement is the data of commands that replace the session.
type replacement struct {
	// Text is that of the message that a fork begins before.
	Text      *string `json:"text,omitzero"`
	Cancelled bool    `json:"cancelled"`
}

// replaced makes the data of a response; a replacement that was called off is no failure.
func replaced(err error) (any, error) {
	if errors.Is(err, session.ErrCancelled) {
		return replacement{Cancelled: true}, nil
	}
	return replacement{}, err
}

func newSession(ctx context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		ParentSession string `json:"parentSession"`
	}](req)
	if err != nil {
		return nil, err
	}
	return replaced(s.runtime.New(ctx, fields.ParentSession))
}

func switchSession(ctx context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		SessionPath string `json:"sessionPath"`
	}](req)
	if err != nil {
		return nil, err
	}
	if fields.SessionPath == "" {
		return nil, missing(req, "sessionPath", "name the session's file")
	}
	return replaced(s.runtime.Switch(ctx, fields.SessionPath))
}

func fork(ctx context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		EntryID transcript.EntryID `json:"entryId"`
	}](req)
	if err != nil {
		return nil, err
	}
	if fields.EntryID == "" {
		return nil, missing(req, "entryId", "get_fork_messages lists the messages to fork at")
	}
	text, err := s.runtime.Fork(ctx, fields.EntryID, session.Before)
	if err != nil {
		return replaced(err)
	}
	return replacement{Text: &text}, nil
}

func clone(ctx context.Context, s *server, _ *request) (any, error) {
	return replaced(s.runtime.Clone(ctx))
}

func setSessionName(_ context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		Name string `json:"name"`
	}](req)
	if err != nil {
		return nil, err
	}
	return nil, s.session.SetName(fields.Name)
}

func getSessionStats(_ context.Context, s *server, _ *request) (any, error) {
	return s.session.Stats()
}

func exportHTML(_ context.Context, s *server, req *request) (any, error) {
	fields, err := read[struct {
		OutputPath string `json:"outputPath"`
	}](req)
	if err != nil {
		return nil, err
	}
	path, err := html.File(s.session.Store(), fields.OutputPath)
	if err != nil {
		return nil, err
	}
	return map[string]string{"path": path}, nil
}
