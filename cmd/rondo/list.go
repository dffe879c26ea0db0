package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config"
)

// listModels shows the models that can be used, or those of them that a message finds.
func (p *program) listModels(ctx context.Context) error {
	app, err := p.open(ctx, nil)
	if err != nil {
		return err
	}
	cfg := app.Config()
	cfg.FindServers(ctx)
	search := strings.Join(p.flags.args, " ")
	available := cfg.Available()
	found := config.Search(available, search)
	switch {
	case len(available) == 0:
		return usage("no model can be used: run rondo auth login, set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or list models in %s", filepath.Join(cfg.Home, config.ModelsFile))
	case len(found) == 0:
		return usage("none of the %d models that can be used fits %q; rondo --list-models shows all", len(available), search)
	}
	w := tabwriter.NewWriter(p.show, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tNAME\tCONTEXT\tOUTPUT\tTHINKING\tIMAGES")
	for _, m := range found {
		fmt.Fprintf(w, "%s/%s\t%s\t%d\t%d\t%s\t%s\n", m.Provider, m.ID, m.Name, m.ContextWindow, m.MaxTokens, yes(m.Reasoning), yes(m.Reads(ai.InputImage)))
	}
	return w.Flush()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
