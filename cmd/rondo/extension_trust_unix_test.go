//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rondo-agent/rondo/mode"
)

// TestLaw_L8_ATrustHandlerThatHangs: an interrupt ends the program also while an extension is asked
// about a project and does not answer.
func TestLaw_L8_ATrustHandlerThatHangs(t *testing.T) {
	dir := t.TempDir()
	hangs := filepath.Join(dir, "hangs.ts")
	text := `export default (pi) => { pi.on("project_trust", () => { console.error("asked"); return new Promise(() => {}); }); };`
	if err := os.WriteFile(hangs, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "project", ".pi", "extensions"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("rondo", "--model", "scripted", "-e", hangs, "-p", "hello")
	cmd.Dir = filepath.Join(dir, "project")
	cmd.Env = append(os.Environ(), "HOME="+dir, "RONDO_HOME="+dir)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "asked"; {
	}
	begun := time.Now()
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err == nil || time.Since(begun) > mode.ShutdownLimit*2/3 {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}
