package script

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/extension"
)

// restoreLimit is how long an extension may take to be loaded again.
const restoreLimit = 30 * time.Second

// perStart is how many functions a machine may have before their numbers are those of one that
// is started later.
const perStart = 1 << 24

// restore loads the extensions into a machine that has been started again. They register again
// what they have registered, which then is what it was, and learn of the session.
func (h *host) restore(ctx context.Context, m *remote) {
	h.mu.Lock()
	h.starts++
	starts, began := h.starts, h.began
	all := slices.SortedFunc(maps.Values(h.instances), func(a, b *instance) int { return cmp.Compare(a.id, b.id) })
	h.event = nil
	h.mu.Unlock()
	h.startOver()
	_, err := m.Invoke(ctx, "require", `"rondo:pi"`)
	if err == nil {
		_, err = m.Invoke(ctx, "numbers", fmt.Sprint(starts*perStart))
	}
	for _, in := range all {
		if in.code == nil || in.x.Err() != nil {
			continue
		}
		if err == nil {
			err = in.again(ctx, m, began)
		}
		if err != nil {
			in.api.Report(&extension.Error{Path: in.path, Event: "load", Err: fmt.Errorf("start the extension again: %w", err)})
			err = nil
		}
	}
}

// again loads one of them.
func (in *instance) again(ctx context.Context, m *remote, began *extension.SessionStart) error {
	limit, stop := context.WithTimeoutCause(ctx, restoreLimit, extension.ErrDeadline)
	defer stop()
	name, err := m.add(in.code)
	if err == nil {
		_, err = in.host.callUntil(limit, limit, &running{}, "load", map[string]any{"x": in.id, "path": name})
	}
	if err != nil || began == nil {
		return err
	}
	event := *began
	event.Reason = extension.ReasonReload
	raw, err := extension.Encode(&event)
	if err != nil {
		return err
	}
	for _, r := range in.host.handlers(in.id, event.Kind().String()) {
		late, stop := context.WithTimeoutCause(ctx, event.Kind().Policy().Deadline, extension.ErrDeadline)
		_, err := in.deliverUntil(late, late, r, "", &extension.Envelope{Event: &event, JSON: raw})
		stop()
		if err != nil {
			in.report(event.Kind().String(), err)
		}
	}
	return nil
}

// handlers are those of an event that an extension has in this start of the machine.
func (h *host) handlers(id int, event string) []*ref {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*ref
	for n := 1; ; n++ {
		key := strings.Join([]string{fmt.Sprint(id), "on", event, fmt.Sprint(n)}, " ")
		if !h.refs.begun[key] {
			return list
		}
		list = append(list, h.refs.list[key])
	}
}
