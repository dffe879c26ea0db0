package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// noModel is the address of a model that is never asked.
const noModel = "http://127.0.0.1:9/v1"

// workspace is a fresh place for one program: its home, its state folder with a model, and
// a folder to work in.
type workspace struct {
	top   string
	state string
	work  string
}

// newWorkspace makes a workspace whose models.json knows the provider "lab" at url; remove
// deletes it.
func newWorkspace(url string) (*workspace, error) {
	top, err := os.MkdirTemp("", "rondo-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a workspace: %w", err)
	}
	ws := &workspace{top: top, state: filepath.Join(top, "state"), work: filepath.Join(top, "work")}
	if err := ws.fill(url); err != nil {
		ws.remove()
		return nil, fmt.Errorf("make a workspace: %w", err)
	}
	return ws, nil
}

func (ws *workspace) fill(url string) error {
	for _, dir := range []string{ws.state, ws.work} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	models := fmt.Sprintf(`{"providers":{"lab":{"baseUrl":%q,"api":"openai-completions","apiKey":"lab-key","models":[`+
		`{"id":"m","name":"Lab Model","reasoning":false,"input":["text"],"contextWindow":100000,"maxTokens":4096,`+
		`"cost":{"input":1,"output":2,"cacheRead":0.5,"cacheWrite":1.25}}]}}}`, url)
	if err := os.WriteFile(filepath.Join(ws.state, "models.json"), []byte(models), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(ws.state, "settings.json"), []byte("{}"), 0o600)
}

func (ws *workspace) remove() { _ = os.RemoveAll(ws.top) } // a leftover in the temporary folder harms nobody
