package main

import (
	"fmt"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
)

// successors returns the models that take over from one that cannot answer.
func (m *models) successors(model *ai.Model) []session.ScopedModel {
	found, _ := m.config().Successors(model) // those that are not found were told at the start
	var next []session.ScopedModel
	for _, s := range found {
		next = append(next, session.ScopedModel(s))
	}
	return next
}

// checkSuccessors takes note of successors of a model that there are not.
func (m *models) checkSuccessors(model *ai.Model) {
	if model == nil || len(m.cfg.Settings.ModelFallbacks) == 0 {
		return
	}
	_, errs := m.config().Successors(model)
	for _, err := range errs {
		m.notes = append(m.notes, err.Error())
	}
}

// tellFallbacks says on standard error that another model answers, where the events do not
// show it.
func (p *program) tellFallbacks(rt *session.Runtime) {
	rt.Subscribe(func(ev session.Event) {
		if ev, ok := ev.(*session.ModelFallback); ok {
			p.note([]string{fmt.Sprintf("%s/%s cannot answer (%s: %s), so %s/%s does", ev.From.Provider, ev.From.ModelID, ev.Reason, ev.ErrorMessage, ev.To.Provider, ev.To.ModelID)})
		}
	})
}
