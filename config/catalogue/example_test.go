package catalogue_test

import (
	"fmt"
	"path/filepath"

	"github.com/rondo-agent/rondo/config/catalogue"
)

func ExampleOpen() {
	models := catalogue.Open(filepath.Join("no-folder", catalogue.File)) // what is embedded
	for _, m := range models.Models("anthropic") {
		if m.ID == "claude-opus-4-8" {
			fmt.Println(m.Name, m.API, m.ContextWindow, m.Cost.Input, m.Cost.Output)
		}
	}
	// Output: Claude Opus 4.8 anthropic-messages 1000000 5 25
}
