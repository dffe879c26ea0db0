package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rondo-agent/rondo/config"
)

// A pattern names a model of the catalogue or of models.json, and the level to think at.
func ExampleConfig_Find() {
	home, err := os.MkdirTemp("", "rondo")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	models := `{"providers":{"lab":{"baseUrl":"http://127.0.0.1:8080/v1","api":"openai-completions","apiKey":"none","models":[{"id":"qwen3-coder"}]}}}`
	if err := os.WriteFile(filepath.Join(home, config.ModelsFile), []byte(models), 0o600); err != nil {
		panic(err)
	}
	cfg, err := config.Load(home)
	if err != nil {
		panic(err)
	}
	for _, pattern := range []string{"qwen", "anthropic/opus:high"} {
		m, level, err := cfg.Find("", pattern)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s/%s %q\n", m.Provider, m.ID, level)
	}
	// Output:
	// lab/qwen3-coder ""
	// anthropic/claude-opus-4-8 "high"
}
