package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// findShell returns the program that runs commands. Pi 0.85 looks in the same order: the
// setting shellPath, /bin/bash, bash in the PATH, sh.
func findShell(setting string) (string, error) {
	if setting != "" {
		if !isFile(setting) {
			return "", fmt.Errorf("the shell %s does not exist: correct shellPath in the settings, or remove it", setting)
		}
		return setting, nil
	}
	for _, path := range usualShells() {
		if isFile(path) {
			return path, nil
		}
	}
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no shell was found: install bash, or set shellPath in the settings")
}

func usualShells() []string {
	if runtime.GOOS != "windows" {
		return []string{"/bin/bash"}
	}
	var paths []string
	for _, variable := range []string{"ProgramFiles", "ProgramFiles(x86)"} {
		if folder := os.Getenv(variable); folder != "" {
			paths = append(paths, filepath.Join(folder, "Git", "bin", "bash.exe"))
		}
	}
	return paths
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// quiet keeps programs from asking a person who is not there. What the user has set stays.
var quiet = [...]struct{ name, value string }{
	{"GIT_TERMINAL_PROMPT", "0"},
	{"SSH_ASKPASS_REQUIRE", "never"}, // ssh would open a window in a graphical session
}

// environment is that of a local command.
func environment(cmd *Command) []string {
	var env []string
	if !cmd.Bare {
		env = os.Environ()
	}
	for _, v := range quiet {
		if _, set := os.LookupEnv(v.name); !set {
			env = append(env, v.name+"="+v.value)
		}
	}
	// A shell keeps the name of its folder, which may lead through symbolic links.
	env = append(env, "AI_AGENT=rondo", "PWD="+cmd.Dir)
	return append(env, cmd.Env...)
}
