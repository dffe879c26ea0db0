package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/transcript"
)

// events streams what happens in a session.
func (s *Server) events(w http.ResponseWriter, r *http.Request, l *live) (any, error) {
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	out := newStream(w, &s.opts, l, l.ring.Last())
	err := out.open()
	if err == nil && after != "now" {
		err = out.resume(r.Context(), after)
	}
	if err == nil {
		_ = out.follow(r.Context(), false, 0) // its error is that the client is gone
	}
	return written, nil
}

// get runs the command of RPC that asks for something: get_WHAT.
func (s *Server) get(_ http.ResponseWriter, r *http.Request, l *live) (any, error) {
	fields := map[string]string{}
	for name, values := range r.URL.Query() {
		fields[name] = values[0]
	}
	return s.call(r.Context(), l, "get_"+r.PathValue("what"), appendValue(nil, fields))
}

// OverHTTP reports whether a command of RPC has an address for itself: GET …/WHAT for get_WHAT,
// and POST …/COMMAND. Others have addresses that docs/http.md describes, or none, such as the
// export into a file of the server.
func OverHTTP(name string) bool { return rpc.Callable(name) && name != proto.ExportHTML.Name() }

// post runs the command of RPC that does something.
func (s *Server) post(w http.ResponseWriter, r *http.Request, l *live) (any, error) {
	name := r.PathValue("what")
	if strings.HasPrefix(name, "get_") || !OverHTTP(name) {
		return nil, nothing(name)
	}
	fields, err := s.body(w, r)
	if err != nil {
		return nil, err
	}
	data, err := s.call(r.Context(), l, name, fields)
	if err == nil && (strings.HasPrefix(name, "set_") || strings.HasPrefix(name, "cycle_")) {
		l.publishState()
	}
	return data, err
}

func nothing(name string) error {
	return withStatus(http.StatusNotFound, fmt.Errorf("a session has nothing called %q; docs/http.md lists what it has", name))
}

func (s *Server) call(ctx context.Context, l *live, name string, fields jsontext.Value) (any, error) {
	data, err := rpc.Call(ctx, l.Session, name, fields, &rpc.Options{Models: l.Models, Settings: l.Settings})
	if unknown, ok := errors.AsType[*rpc.UnknownCommandError](err); ok {
		return nil, nothing(strings.TrimPrefix(unknown.Name, "get_"))
	}
	if err != nil {
		return nil, err
	}
	if data == nil {
		return struct{}{}, nil
	}
	return data, nil
}

// detach does something that goes on when the client is gone, and waits for it as long as the
// client does.
func detach[T any](s *Server, ctx context.Context, id string, do func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	_, leave, err := s.pool.use(ctx, id) // it must not be closed meanwhile
	if err != nil {
		var none T
		return none, err
	}
	s.running.Go(func() {
		defer leave()
		result, err := do(s.ending)
		done <- outcome{result, err}
	})
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// compact replaces the older part of the conversation by a summary.
func (s *Server) compact(w http.ResponseWriter, r *http.Request, l *live) (any, error) {
	var fields proto.CompactRequest
	if err := s.fields(w, r, &fields); err != nil {
		return nil, err
	}
	return detach(s, r.Context(), l.Session.ID(), func(ctx context.Context) (*proto.CompactionResult, error) {
		result, err := l.Session.Compact(ctx, fields.CustomInstructions)
		if err != nil {
			return nil, err
		}
		return rpc.Compacted(result), nil
	})
}

// bash runs a command of the user's.
func (s *Server) bash(w http.ResponseWriter, r *http.Request, l *live) (any, error) {
	var fields struct {
		ID jsontext.Value `json:"id"`
		proto.BashRequest
	}
	if err := s.fields(w, r, &fields); err != nil {
		return nil, err
	}
	if fields.Command == "" {
		return nil, errors.New("command is missing: give it a shell command")
	}
	return detach(s, r.Context(), l.Session.ID(), func(ctx context.Context) (*bash.Result, error) {
		result, err := l.Session.RunBash(ctx, session.BashCommand{Text: fields.Command, Hidden: fields.ExcludeFromContext, ID: fields.ID})
		if err != nil {
			return nil, err
		}
		m := &transcript.BashExecution{
			Command: fields.Command, Output: result.Output, ExitCode: result.ExitCode, Cancelled: result.Cancelled,
			Truncated: result.Truncated, FullOutputPath: result.FullOutputPath, ExcludeFromContext: fields.ExcludeFromContext,
			Timestamp: time.Now().UnixMilli(),
		}
		l.addMessage(m, struct {
			Type    string                    `json:"type"`
			ID      jsontext.Value            `json:"id,omitzero"`
			Message *transcript.BashExecution `json:"message"`
		}{"bash_execution_end", fields.ID, m})
		return result, nil
	})
}

// answerDialog answers a dialog.
func (s *Server) answerDialog(w http.ResponseWriter, r *http.Request, l *live) (any, error) {
	var fields proto.UIAnswer
	if err := s.fields(w, r, &fields); err != nil {
		return nil, err
	}
	if fields == (proto.UIAnswer{}) {
		return nil, errors.New("the answer is missing: give value (a text), confirmed (true or false), or cancelled (true)")
	}
	return struct{}{}, l.ui.answer(r.PathValue("dialog"), fields)
}
