package conformance_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// envStub makes the test binary itself the program that is tested: a stub that does as
// little as is needed to see what the lab does.
const envStub = "CONFORMANCE_STUB"

// The exit codes of the stub.
const (
	stubExit  = 3
	stubBroke = 1
)

func stub(mode string) int {
	switch mode {
	case "quit":
		return stubExit
	case "deaf":
		os.Stdin.Close()
		fallthrough
	case "hang":
		fmt.Println(`{"type":"ready"}`)
		time.Sleep(time.Hour)
	case "environment":
		return stubEnvironment()
	}
	if err := stubAsk(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return stubBroke
	}
	return stubExit
}

// stubEnvironment shows how the stub was started.
func stubEnvironment() int {
	dir, err := os.Getwd()
	if err != nil {
		return stubBroke
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return stubBroke
	}
	args := []any{}
	for _, arg := range os.Args[1:] {
		args = append(args, arg)
	}
	fmt.Println("no JSON")
	fmt.Println(ordered.Compact(ordered.Of("type", "started", "args", args, "cwd", dir,
		"home", os.Getenv("RONDO_HOME"), "stdin", string(input))))
	return 0
}

// stubAsk sends each line of its input to the model and prints what comes back.
func stubAsk() error {
	home := os.Getenv("RONDO_HOME")
	url, err := stubURL(home)
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		resp, err := http.Post(url+"/chat/completions", "application/json", bytes.NewReader(in.Bytes()))
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		broken := err != nil
		resp.Body.Close()
		fmt.Println(ordered.Compact(ordered.Of("type", "answer", "id", "0123abcd",
			"status", resp.StatusCode, "body", string(body), "broken", broken)))
	}
	fmt.Fprintln(os.Stderr, "end of input")
	dir := filepath.Join(home, "sessions", "x")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile("out.txt", []byte("left behind"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte("{\"parentId\":\"0123abcd\"}\n\nbroken\n"), 0o644)
}

func stubURL(home string) (string, error) {
	data, err := os.ReadFile(filepath.Join(home, "models.json"))
	if err != nil {
		return "", err
	}
	value, err := ordered.Parse(data)
	if err != nil {
		return "", err
	}
	models, _ := value.(ordered.Object)
	return models.Object("providers").Object("lab").Text("baseUrl"), nil
}
