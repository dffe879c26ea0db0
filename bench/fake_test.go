package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// fakePrefix begins the first argument of a test binary that plays a program.
const fakePrefix = "fake:"

// fake is a program that behaves in one of several ways: "good" answers, "lossy" drops
// deltas, "crash" ends at its first command.
func fake(t *testing.T, behaviour string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &program{argv: []string{self, fakePrefix + behaviour}, stateVar: "FAKE_HOME"}
}

// fakeProgram is the program itself; it returns the exit code.
func fakeProgram(behaviour string, args []string) int {
	if slices.Contains(args, "--version") {
		fmt.Println("1.0")
		return 0
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var command struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(lines.Bytes(), &command); err != nil || behaviour == "crash" {
			fmt.Fprintln(os.Stderr, "cannot go on")
			return 3
		}
		fmt.Printf(`{"type":"response","command":%q,"success":true}`+"\n", command.Type)
		if command.Type == "prompt" {
			fakeAnswer(behaviour)
		}
	}
	return 0
}

// fakeAnswer asks the model that models.json names and prints its deltas.
func fakeAnswer(behaviour string) {
	var models struct {
		Providers map[string]struct {
			BaseURL string `json:"baseUrl"`
		} `json:"providers"`
	}
	data, err := os.ReadFile(filepath.Join(os.Getenv("FAKE_HOME"), "models.json"))
	if err == nil {
		err = json.Unmarshal(data, &models)
	}
	if err != nil {
		panic(err)
	}
	response, err := http.Post(models.Providers["lab"].BaseURL+"/chat/completions", "application/json", strings.NewReader("{}"))
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	events := bufio.NewScanner(response.Body)
	for n := 0; events.Scan(); {
		if !strings.Contains(events.Text(), modelText) {
			continue
		}
		if n++; behaviour != "lossy" || n%2 == 0 {
			fmt.Println(`{"type":"message_update","assistantMessageEvent":{"type":"text_delta"}}`)
		}
	}
	fmt.Println(`{"type":"agent_settled"}`)
}
