package chat

import (
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/tools/bash"
	"github.com/rondo-agent/rondo/transcript"
)

// liveOutput bounds how much of a command's output is kept while it runs.
const liveOutput = 64 << 10

// StartShell shows a command that runs; id is what its events have.
func (t *Transcript) StartShell(id, command string, hidden bool) {
	if t.shells == nil {
		t.shells = make(map[string]*Block)
	}
	t.shells[id] = t.push(&Block{Kind: Bash, Shell: &Shell{Command: text.Clean(command), Hidden: hidden, Running: true}})
}

func (t *Transcript) shellOutput(id, delta string) {
	b := t.shells[id]
	if b == nil {
		return
	}
	out := b.Shell.Output + text.Clean(delta)
	if len(out) > 2*liveOutput {
		out = out[len(out)-liveOutput:]
	}
	b.Shell.Output = out
	b.touch()
}

// EndShell shows what has come of a command.
func (t *Transcript) EndShell(id string, result *bash.Result, err error) {
	b := t.shells[id]
	if b == nil {
		return
	}
	delete(t.shells, id)
	b.Shell.Running = false
	if result != nil {
		b.Shell.Output = text.Clean(result.Output)
		b.Shell.ExitCode, b.Shell.Cancelled = result.ExitCode, result.Cancelled
		b.Shell.Truncated, b.Shell.FullOutputPath = result.Truncated, text.OneLine(result.FullOutputPath)
	}
	b.Final = true
	b.touch()
	if err != nil {
		t.Add(Failure, err.Error())
	}
}

func shellOf(m *transcript.BashExecution) *Shell {
	return &Shell{
		Command: text.Clean(m.Command), Hidden: m.ExcludeFromContext, Output: text.Clean(m.Output),
		ExitCode: m.ExitCode, Cancelled: m.Cancelled, Truncated: m.Truncated, FullOutputPath: text.OneLine(m.FullOutputPath),
	}
}
