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
	program := cmp.Or(a.opts.Editor, os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if program == "" {
		a.hint = "set VISUAL or EDITOR to the editor that ctrl+g is to open"
		return nil
	}
	file, err := os.CreateTemp("", "rondo-*.md")
	if err != nil {
		a.fail(err)
		return nil
	}
	_, err = file.WriteString(a.editor.Text())
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		a.fail(err)
		_ = os.Remove(file.Name())
		return nil
	}
	a.leave()
	return tea.ExecProcess(a.editorCommand(program, file.Name()), func(err error) tea.Msg {
		return callMsg(func(a *app) {
			a.enter()
			defer os.Remove(file.Name())
			if err == nil {
				var data []byte
				if data, err = os.ReadFile(file.Name()); err == nil {
					a.editor.Set(strings.TrimRight(string(data), "\n"))
					return
				}
			}
			a.fail(err)
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
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.opts.In, a.opts.Out, a.opts.Out
	return cmd
}
