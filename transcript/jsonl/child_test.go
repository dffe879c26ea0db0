package jsonl_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// childTask is the environment variable that makes the test binary a child of a test.
const childTask = "RONDO_JSONL_CHILD"

// runChild does what a test asks of a second process; it returns false in the first one.
func runChild() bool {
	task, path, _ := strings.Cut(os.Getenv(childTask), ":")
	switch task {
	case "":
		return false
	case "hold":
		childHold(path)
	case "append":
		childAppend(path)
	case "append large":
		childAppendLarge(path)
	case "full":
		childFull(path)
	case "bequeath":
		childBequeath(path)
	}
	return true
}

// child starts the test binary again.
func child(t *testing.T, task, path string) (*exec.Cmd, *bufio.Reader, io.Closer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childTask+"="+task+":"+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out), in
}

func childFail(err error) {
	fmt.Println("error:", err)
	os.Exit(1)
}

// childHold keeps a session open until its input ends.
func childHold(path string) {
	s, err := jsonl.Open(path, nil)
	if err != nil {
		childFail(err)
	}
	defer s.Close()
	fmt.Println("open")
	io.Copy(io.Discard, os.Stdin)
}

// childAppend appends until it is killed and says after each entry that it is stored.
func childAppend(path string) {
	s, err := jsonl.Open(path, nil)
	if err != nil {
		childFail(err)
	}
	for i := 0; ; i++ {
		e := storetest.User(strings.Repeat("x", i*37%5000))
		if err := s.Append(e); err != nil {
			childFail(err)
		}
		fmt.Println(e.ID)
	}
}

// childAppendLarge is childAppend with two goroutines and large entries.
func childAppendLarge(path string) {
	s, err := jsonl.Open(path, nil)
	if err != nil {
		childFail(err)
	}
	for _, letter := range []string{"a", "b"} {
		go func() {
			for {
				e := storetest.User(strings.Repeat(letter, 200<<10))
				if err := s.Append(e); err != nil {
					childFail(err)
				}
				os.Stdout.WriteString(string(e.ID) + "\n")
			}
		}()
	}
	io.Copy(io.Discard, os.Stdin)
}
