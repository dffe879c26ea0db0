package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// client does the steps of a scenario.
type client struct {
	proc    *process
	model   *Model
	timeout time.Duration
	// cursor is the index of the first line that no wait has passed.
	cursor int
	held   map[string]ordered.Object
}

// act does all steps and waits for the program to exit. The error says what did not come.
func (c *client) act(ctx context.Context, s *Scenario) error {
	if s.Mode == "rpc" {
		for _, step := range s.Steps {
			if err := c.do(ctx, &step); err != nil {
				return err
			}
		}
	} else if s.Stdin != nil {
		if err := c.proc.send(*s.Stdin, c.timeout); err != nil {
			return err
		}
	}
	c.proc.stdin.Close()
	ctx, cancel := c.limit(ctx, s.ExitTimeout, "program did not exit")
	defer cancel()
	select {
	case <-c.proc.exited:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// limit bounds a step; seconds of 0 means the usual time.
func (c *client) limit(ctx context.Context, seconds float64, complaint string) (context.Context, context.CancelFunc) {
	timeout := c.timeout
	if seconds > 0 {
		timeout = time.Duration(seconds * float64(time.Second))
	}
	return context.WithTimeoutCause(ctx, timeout, errors.New(complaint))
}

func (c *client) do(ctx context.Context, step *Step) error {
	switch {
	case step.Send != nil:
		line, err := c.fill(step)
		if err != nil {
			return err
		}
		return c.proc.send(ordered.Compact(line)+orElse(step.EOL, "\n"), c.timeout)
	case step.Raw != nil:
		return c.proc.send(*step.Raw, c.timeout)
	case step.Wait != nil:
		return c.wait(ctx, step)
	case step.WaitRequests > 0:
		return c.waitRequests(ctx, step.WaitRequests)
	case step.Release != "":
		c.model.Release(step.Release)
		return nil
	case step.WaitFile != "":
		return c.waitFile(ctx, step.WaitFile)
	case step.Touch != "":
		return os.WriteFile(step.Touch, nil, 0o644)
	case step.SleepMS != nil:
		return sleep(ctx, time.Duration(*step.SleepMS*float64(time.Millisecond)))
	}
	return errors.New("unknown step")
}

// fill returns the object to send with what it takes from kept lines.
func (c *client) fill(step *Step) (ordered.Object, error) {
	line := step.Send
	if step.ReplyTo != "" {
		held, ok := c.held[step.ReplyTo]
		if !ok {
			return nil, fmt.Errorf("no line is kept as %q", step.ReplyTo)
		}
		line = line.With("id", held.Get("id"))
	}
	for _, m := range step.With {
		value := m.Value
		if ref, ok := value.([]any); ok && len(ref) == 2 {
			name, _ := ref[0].(string)
			field, _ := ref[1].(string)
			held, ok := c.held[name].Find(field)
			if !ok {
				return nil, fmt.Errorf("no line is kept as %q with a member %q", name, field)
			}
			value = held
		}
		line = line.With(m.Name, value)
	}
	return line, nil
}

// wait finds the next line that contains the pattern.
func (c *client) wait(ctx context.Context, step *Step) error {
	ctx, cancel := c.limit(ctx, step.Timeout, "timed out")
	defer cancel()
	for i := c.cursor; ; i++ {
		line, err := c.proc.lines.item(ctx, i)
		if err != nil {
			return fmt.Errorf("%w waiting for %s", err, ordered.Compact(step.Wait))
		}
		if Matches(step.Wait, line) {
			c.cursor = i + 1
			if step.As != "" {
				c.held[step.As] = line
			}
			return nil
		}
	}
}

func (c *client) waitRequests(ctx context.Context, n int) error {
	ctx, cancel := c.limit(ctx, 0, "timed out")
	defer cancel()
	if _, err := c.model.requests.item(ctx, n-1); err != nil {
		return fmt.Errorf("%w waiting for request %d", err, n)
	}
	return nil
}

func (c *client) waitFile(ctx context.Context, path string) error {
	ctx, cancel := c.limit(ctx, 0, "timed out")
	defer cancel()
	for {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("%w waiting for file %s", err, path)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Matches says whether a value contains a pattern: objects member by member, arrays as a
// beginning, strings that start with ~ as a regular expression, the rest as it is.
func Matches(pattern, value any) bool {
	switch pattern := pattern.(type) {
	case ordered.Object:
		object, ok := value.(ordered.Object)
		return ok && matchesMembers(pattern, object)
	case []any:
		array, ok := value.([]any)
		return ok && matchesBeginning(pattern, array)
	case string:
		if expr, ok := strings.CutPrefix(pattern, "~"); ok {
			text, ok := value.(string)
			re, err := regexp.Compile(expr)
			return ok && err == nil && re.MatchString(text)
		}
	}
	return ordered.Equal(pattern, value)
}

func matchesMembers(pattern, object ordered.Object) bool {
	for _, m := range pattern {
		value, ok := object.Find(m.Name)
		if !ok || !Matches(m.Value, value) {
			return false
		}
	}
	return true
}

func matchesBeginning(pattern, array []any) bool {
	if len(array) < len(pattern) {
		return false
	}
	for i := range pattern {
		if !Matches(pattern[i], array[i]) {
			return false
		}
	}
	return true
}
