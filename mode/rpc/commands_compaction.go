package rpc

import (
	"context"

	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
)

// compactCall is a compact that has not been answered yet.
type compactCall struct{ answered chan struct{} }

// compact is accepted or refused in its turn, so that an abort that comes after it finds it;
// the answer comes when the compaction has ended.
func compact(ctx context.Context, c *call, req proto.CompactRequest) (*proto.CompactionResult, error) {
	run, err := c.session.StartCompaction(req.CustomInstructions)
	if err != nil {
		return nil, err
	}
	pending := &compactCall{make(chan struct{})}
	c.compact.Store(pending)
	c.waiting.Go(func() {
		defer close(pending.answered)
		r := &response{ID: c.id, Command: c.name}
		if result, err := run.Wait(context.WithoutCancel(ctx)); err != nil {
			r.Error = err.Error()
		} else {
			r.Success, r.Data = true, Compacted(result)
		}
		c.out.response(r)
	})
	return nil, errAnswered
}

// Compacted is the answer for a result.
func Compacted(r *compaction.Result) *proto.CompactionResult {
	return &proto.CompactionResult{
		Summary: r.Summary, FirstKeptEntryID: string(r.FirstKeptEntryID),
		TokensBefore: r.TokensBefore, EstimatedTokensAfter: r.EstimatedTokensAfter, Usage: r.Usage, Details: r.Details,
	}
}

// enabled reads whether something is to be on.
func (c *call) enabled(req proto.Switch, hint string) (bool, error) {
	if req.Enabled == nil {
		return false, c.missing("enabled", hint)
	}
	return *req.Enabled, nil
}

func setAutoCompaction(_ context.Context, c *call, req proto.Switch) (none proto.None, err error) {
	on, err := c.enabled(req, "use true or false")
	if err != nil {
		return none, err
	}
	c.session.SetAutoCompaction(on)
	c.autoCompaction.Store(&on)
	return none, c.opts.Settings.Save("compaction.enabled", on)
}

func setAutoRetry(_ context.Context, c *call, req proto.Switch) (none proto.None, err error) {
	on, err := c.enabled(req, "use true or false")
	if err != nil {
		return none, err
	}
	c.session.SetAutoRetry(on)
	c.autoRetry.Store(&on)
	return none, c.opts.Settings.Save("retry.enabled", on)
}

func abortRetry(_ context.Context, c *call, _ proto.None) (none proto.None, err error) {
	c.session.AbortRetry()
	return none, nil
}
