//go:build !unix

package conformance

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func endSignal(*os.ProcessState) int { return 0 }
