package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// maxLine is the longest line that a program may print.
const maxLine = 64 << 20

// rpcTimeout ends a program that no longer answers.
const rpcTimeout = 90 * time.Second

// rpc is a program that runs in RPC mode.
type rpc struct {
	cmd     *exec.Cmd
	cancel  context.CancelFunc
	started time.Time
	stdin   io.WriteCloser
	lines   *bufio.Scanner
	stderr  bytes.Buffer
}

// startRPC starts p in RPC mode with the workspace's model; stop ends it.
func startRPC(ctx context.Context, p *program, ws *workspace, args ...string) (*rpc, error) {
	ctx, cancel := context.WithTimeout(ctx, rpcTimeout)
	r := &rpc{cmd: p.command(ctx, ws, append([]string{"--mode", "rpc", "--provider", "lab", "--model", "m"}, args...)...), cancel: cancel}
	r.cmd.Stderr = &r.stderr
	if err := r.start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", strings.Join(p.argv, " "), err)
	}
	return r, nil
}

func (r *rpc) start() (err error) {
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	r.lines = bufio.NewScanner(stdout)
	r.lines.Buffer(make([]byte, 256<<10), maxLine)
	r.started = time.Now()
	return r.cmd.Start()
}

// stop kills the program and waits for it.
func (r *rpc) stop() {
	r.cancel()
	_ = r.stdin.Close()
	_ = r.cmd.Wait() // it was killed
}

func (r *rpc) send(line string) error {
	if _, err := io.WriteString(r.stdin, line+"\n"); err != nil {
		return r.ended(err)
	}
	return nil
}

// until reads lines up to one of the given type, and calls other with each line before it.
func (r *rpc) until(kind string, other func(line []byte)) (line []byte, err error) {
	marker := []byte(`"` + kind + `"`)
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if bytes.Contains(line, marker) && lineType(line) == kind {
			return line, nil
		}
		other(line)
	}
	return nil, r.ended(r.lines.Err())
}

// lineType is the type that a line names; empty for what is no event.
func lineType(line []byte) string {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return ""
	}
	return head.Type
}

// ended explains why nothing more can be read: it waits for the program, whose own words
// are complete then.
func (r *rpc) ended(cause error) error {
	r.cancel()
	if err := r.cmd.Wait(); cause == nil {
		cause = err
	}
	return fmt.Errorf("the program stopped answering (%w): %s", orEOF(cause), tail(r.stderr.String(), 600))
}

func orEOF(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

// tail is the end of a text, at most n bytes of it.
func tail(text string, n int) string {
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[max(0, len(text)-n):], "")
}

// getState asks for the state and returns the time since the program's start at which the
// answer came.
func (r *rpc) getState() (time.Duration, error) {
	if err := r.send(`{"id":"state","type":"get_state"}`); err != nil {
		return 0, err
	}
	line, err := r.until("response", func([]byte) {})
	if err != nil {
		return 0, err
	}
	took := time.Since(r.started)
	if !bytes.Contains(line, []byte(`"success":true`)) {
		return 0, fmt.Errorf("get_state failed: %s", tail(string(line), 600))
	}
	return took, nil
}

// prompt sends a prompt and waits until it is settled. It checks that every delta of the
// answer came as an event of its own.
func (r *rpc) prompt(deltas int) (time.Duration, error) {
	started := time.Now()
	if err := r.send(`{"id":"prompt","type":"prompt","message":"hi"}`); err != nil {
		return 0, err
	}
	seen, failure := 0, ""
	_, err := r.until("agent_settled", func(line []byte) {
		if bytes.Contains(line, []byte(`"type":"text_delta"`)) {
			seen++
		} else if bytes.Contains(line, []byte(`"errorMessage"`)) || bytes.Contains(line, []byte(`"success":false`)) {
			failure = tail(string(line), 600)
		}
	})
	took := time.Since(started)
	switch {
	case err != nil:
		return 0, err
	case seen != deltas:
		return 0, fmt.Errorf("%d of the answer's %d deltas came: %s", seen, deltas, failure)
	}
	return took, nil
}
