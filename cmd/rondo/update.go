package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rondo-agent/rondo/config/catalogue"
)

// envCatalogue is the variable with another address for the models.
const envCatalogue = "RONDO_CATALOG_URL"

const updateLong = `Fetch what is newer than this program.

  rondo update --models     models, limits and prices

The models come from ` + catalogue.DefaultURL + ` (or the address in
` + envCatalogue + `) and are kept in models-store.json of the state folder. Nothing of this
happens by itself: without this command, those that are part of the program count.`

func updateCommand(p *program) *cobra.Command {
	var models bool
	cmd := &cobra.Command{
		Use: "update", Short: "Fetch newer models", Long: updateLong, Args: arguments(cobra.NoArgs, "say what to update with a flag, such as --models"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !models {
				return usage("say what to update: rondo update --models")
			}
			return p.updateModels(cmd)
		},
	}
	cmd.Flags().BoolVar(&models, "models", false, "models, limits and prices")
	return cmd
}

func (p *program) updateModels(cmd *cobra.Command) error {
	app, err := p.open(cmd.Context(), nil)
	if err != nil {
		return err
	}
	home := app.Config().Home
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	store := catalogue.Open(filepath.Join(home, catalogue.File))
	report, err := store.Refresh(cmd.Context(), catalogue.Refresh{URL: os.Getenv(envCatalogue)})
	if err != nil {
		return err
	}
	news := "updated"
	if report.Unchanged {
		news = "nothing new"
	}
	_, err = fmt.Fprintf(p.show, "models: %s; %d models of %d providers are known\n", news, report.Models, report.Providers)
	return err
}
