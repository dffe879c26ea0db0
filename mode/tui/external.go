package tui

import (
	"cmp"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// externalEditor writes the text in another editor: $VISUAL or $EDITOR.
func (a *app) externalEditor() tea.Cmd {
	program := cmp.Or(a.t.opts.Editor, os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if program == "" {
		a.hint = "set VISUAL or EDITOR to the editor that ctrl+g is to open"
		return nil
	}
	file, err := os.CreateTemp("", "rondo-*.md")
	if err != nil {
		a.Fail(err)
		return nil
	}
	_, err = file.WriteString(a.input.Editor.Text())
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		a.Fail(err)
		_ = os.Remove(file.Name())
		return nil
	}
	a.leave()
	return tea.ExecProcess(a.editorCommand(program, file.Name()), func(err error) tea.Msg {
		return call(func() {
			a.enter()
			defer os.Remove(file.Name())
			if err == nil {
				var data []byte
				if data, err = os.ReadFile(file.Name()); err == nil {
					a.input.Editor.Set(strings.TrimRight(string(data), "\n"))
					return
				}
			}
			a.Fail(err)
		})
	})
}

// editorCommand runs an editor, whose name may have arguments, in this terminal.
func (a *app) editorCommand(program, file string) *exec.Cmd {
	var cmd *exec.Cmd
	if runtime.GOOS == "windows" {
		fields := strings.Fields(program)
		cmd = exec.Command(fields[0], append(fields[1:], file)...)
	} else {
		cmd = exec.Command("/bin/sh", "-c", program+` "$0"`, file)
	}
	dev := a.t.opts.Device
	cmd.Stdin, cmd.Stdout, cmd.Stderr = dev.Input(), dev, dev
	if t, ok := dev.(tty); ok {
		cmd.Stdout, cmd.Stderr = t.out, t.out
	}
	return cmd
}
