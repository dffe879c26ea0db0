package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the program rondo when it is called by that name, and the
// program code, which checks an exit code.
func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" { // or each process waits a second at its end
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	testscript.Main(signalled{m}, map[string]func(){"rondo": main, "code": code})
}

// signalled runs the tests with programs that hear signals, also where the tests themselves
// have been started in the background, and so do not.
type signalled struct{ *testing.M }

func (s signalled) Run() int {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(sig) { // a handled signal is given back to the programs that are run
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	return s.M.Run()
}

// code runs a command with its own files and fails unless it ends with the exit code:
// code 2 rondo --bad.
func code() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		fmt.Fprintln(os.Stderr, "code:", err)
		os.Exit(1)
	}
	if got := cmd.ProcessState.ExitCode(); os.Args[1] != strconv.Itoa(got) {
		fmt.Fprintf(os.Stderr, "code: the exit code is %d, not %s\n", got, os.Args[1])
		os.Exit(1)
	}
}

// TestScript runs testdata/script. Each script works in a folder of its own, $WORK, with
// $WORK/home as the user's.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if err := os.MkdirAll(filepath.Join(home, ".rondo"), 0o700); err != nil {
				return err
			}
			requests := filepath.Join(env.WorkDir, "requests.txt")
			server := serveModels(env, requests)
			env.Setenv("HOME", home)
			env.Setenv("RONDO_LOCAL_SERVERS", "off") // those of whoever runs the tests
			env.Setenv("STATE", filepath.Join(home, ".rondo"))
			env.Setenv("LAB", server.URL)
			env.Setenv("REQUESTS", requests)
			closed, err := closedAddress()
			env.Setenv("CLOSED", "http://"+closed)
			return err
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"lab": lab, "expand": expand, "holds": holds, "await": await, "session": sessionFile, "events": events, "picture": picture, "mode": fileMode,
		},
		RequireUniqueNames: true,
	})
}

// fileMode checks the permissions of a file: mode 600 file.
func fileMode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); runtime.GOOS != "windows" && got != args[0] {
		ts.Fatalf("%s has the mode %s", args[1], got)
	}
}

// closedAddress is an address of this machine that nobody listens on.
func closedAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// lab writes a models.json with the models of the test server. Requests that fail are not
// repeated.
func lab(ts *testscript.TestScript, neg bool, args []string) {
	state := ts.Getenv("STATE")
	ts.Check(os.WriteFile(filepath.Join(state, "models.json"), []byte(labModels(ts.Getenv("LAB"), ts.Getenv("CLOSED"))), 0o600))
	ts.Check(os.WriteFile(filepath.Join(state, "settings.json"), []byte(`{"retry": {"enabled": false}}`), 0o600))
}

// expand puts the working folder and the addresses of the test server and of nobody into
// files: {WORK}, {LAB}, {CLOSED}.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text := ts.ReadFile(name)
		text = strings.NewReplacer("{WORK}", ts.Getenv("WORK"), "{LAB}", ts.Getenv("LAB"), "{CLOSED}", ts.Getenv("CLOSED")).Replace(text)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// holds checks that a file below one of the folders has a text in it, or none: holds text
// folder...
func holds(ts *testscript.TestScript, neg bool, args []string) {
	var found []string
	for _, dir := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(args[0])) {
				found = append(found, path)
			}
			return err
		}))
	}
	if (len(found) > 0) == neg {
		ts.Fatalf("files with %q: %v", args[0], found)
	}
}

// await waits until files are there.
func await(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
			if info, err := os.Stat(ts.MkAbs(name)); err == nil && info.Size() > 0 {
				break
			}
			if time.Now().After(end) {
				ts.Fatalf("%s does not come", name)
			}
		}
	}
}

// patience is a time that no test waits for unless something is broken.
const patience = time.Minute

// picture writes an image: picture file.
func picture(ts *testscript.TestScript, neg bool, args []string) {
	var data bytes.Buffer
	ts.Check(png.Encode(&data, image.NewGray(image.Rect(0, 0, 2, 2))))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data.Bytes(), 0o600))
}

// sessionFile sets SESSION to the one session below the home folder.
func sessionFile(ts *testscript.TestScript, neg bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.Getenv("STATE"), "sessions", "*", "*.jsonl"))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("there are %d sessions, not one: %v", len(files), files)
	}
	ts.Setenv("SESSION", files[0])
}

// events writes the types of the JSON lines of the last output to a file, those of the
// updates once: events file.
func events(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile("stdout")
	if !strings.HasSuffix(text, "\n") {
		ts.Fatalf("the last line is not whole")
	}
	var out strings.Builder
	last := ""
	for line := range strings.Lines(text) {
		var ev struct {
			Type string `json:"type"`
			ID   any    `json:"id"`
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			ts.Fatalf("%v in the line %s", err, line)
		}
		if ev.Type != last || !strings.HasSuffix(last, "_update") {
			fmt.Fprintln(&out, ev.Type)
		}
		last = ev.Type
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(out.String()), 0o600))
}
