package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// commandTimeout is how long a command may take to print a key; it may have to ask a person.
const commandTimeout = time.Minute

// value is a key or header as it stands in a file; see the package's comment.
type value string

// valueError means that a value cannot be had. It completes a sentence that begins with the
// name of the value, and holds nothing secret.
type valueError struct{ problem, fix string }

func (e *valueError) Error() string { return e.problem + "; " + e.fix }

func unset(name string) error {
	return &valueError{"needs the environment variable " + name + ", which is not set", "set it"}
}

// command returns the shell command that prints the value.
func (v value) command() (string, bool) {
	command, ok := strings.CutPrefix(string(v), "!")
	return strings.TrimSpace(command), ok
}

// check returns what is wrong with how the value is written.
func (v value) check() *valueError {
	if command, ok := v.command(); ok {
		if command == "" {
			return &valueError{"has no command after the !", "write the command, or $! for a text that begins with !"}
		}
		return nil
	}
	_, err := v.expand(func(string) (string, bool) { return "", true })
	wrong, _ := errors.AsType[*valueError](err)
	return wrong
}

// expand replaces variables and escapes. A $ that begins neither stands for itself.
func (v value) expand(env func(name string) (string, bool)) (string, error) {
	var b strings.Builder
	for text := string(v); ; {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, rest := variable(after)
		switch {
		case strings.HasPrefix(after, "$"), strings.HasPrefix(after, "!"):
			b.WriteByte(after[0])
			text = after[1:]
		case strings.HasPrefix(after, "{") && name == "":
			return "", &valueError{"has a ${ that does not begin ${NAME}", "name a variable, or write $$ for the character $"}
		case name == "":
			b.WriteByte('$')
			text = after
		default:
			v, ok := env(name)
			if !ok {
				return "", unset(name)
			}
			b.WriteString(v)
			text = rest
		}
	}
}

// variable takes the name that follows a $, as NAME or {NAME}.
func variable(text string) (name, rest string) {
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		name, rest = identifier(inner)
		if rest, ok = strings.CutPrefix(rest, "}"); !ok {
			return "", text
		}
		return name, rest
	}
	return identifier(text)
}

func identifier(text string) (name, rest string) {
	n := 0
	for n < len(text) && (text[n] == '_' || 'A' <= text[n]&^0x20 && text[n]&^0x20 <= 'Z' || n > 0 && '0' <= text[n] && text[n] <= '9') {
		n++
	}
	return text[:n], text[n:]
}

// getenv returns a variable that is set to something.
func getenv(name string) (string, bool) {
	v := os.Getenv(name)
	return v, v != ""
}

// ready returns why the value cannot be had, as far as that is known without running its
// command.
func (v value) ready(env func(name string) (string, bool)) error {
	if _, ok := v.command(); ok {
		return nil
	}
	_, err := v.expand(env)
	return err
}

// resolver finds values, and runs each command once.
type resolver struct {
	shell string

	mu      sync.Mutex
	results map[string]*result
}

// result is what a command has printed. Its lock is a channel, so that who waits for it can
// be cancelled.
type result struct {
	lock chan struct{}
	text string
	done bool
}

func (r *resolver) resolve(ctx context.Context, v value, env func(name string) (string, bool)) (string, error) {
	command, ok := v.command()
	if !ok {
		return v.expand(env)
	}
	res := r.result(command)
	select {
	case res.lock <- struct{}{}:
		defer func() { <-res.lock }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if res.done {
		return res.text, nil
	}
	text, err := r.run(ctx, command)
	if err != nil {
		return "", err
	}
	res.text, res.done = text, true
	return text, nil
}

func (r *resolver) result(command string) *result {
	r.mu.Lock()
	defer r.mu.Unlock()
	res := r.results[command]
	if res == nil {
		res = &result{lock: make(chan struct{}, 1)}
		if r.results == nil {
			r.results = make(map[string]*result)
		}
		r.results[command] = res
	}
	return res
}

// run runs a command and returns its output without surrounding white space. Errors hold
// neither the output nor the command, which may have secrets in it.
func (r *resolver) run(ctx context.Context, command string) (string, error) {
	timed, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	name, args := r.shellCommand(command)
	cmd := exec.CommandContext(timed, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case timed.Err() != nil:
		return "", &valueError{fmt.Sprintf("is a command that took longer than %v", commandTimeout), "try it in a terminal"}
	case err != nil:
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return "", &valueError{"is a command that failed: " + exit.String(), "try it in a terminal"}
		}
		return "", &valueError{"is a command that could not be run by " + name, "check the setting shellPath"}
	}
	if out = bytes.TrimSpace(out); len(out) == 0 {
		return "", &valueError{"is a command that printed nothing", "try it in a terminal"}
	}
	return string(out), nil
}

func (r *resolver) shellCommand(command string) (name string, args []string) {
	switch {
	case r.shell != "":
		return r.shell, []string{"-c", command}
	case runtime.GOOS == "windows":
		return "cmd", []string{"/c", command}
	}
	return "sh", []string{"-c", command}
}
