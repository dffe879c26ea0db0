package resource

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Folders are the folders of a project that hold its own files, the strongest first.
var Folders = []string{".rondo", ".pi"}

// agentsSkills is where the Agent Skills standard keeps skills, in a project and in the
// user's home folder.
const agentsSkills = ".agents/skills"

// Project is a folder to work in, and where the files for it may be.
type Project struct {
	dir, home string
	userHome  string   // empty if there is none
	folders   []string // those of Folders that exist, as paths
	above     []string // dir and the folders above it, the deepest first
	top       int      // how many of above are in the repository; all if there is none
	agents    []string // the folders .agents/skills, the nearest first
	git       string   // the file or folder .git of the repository; empty if there is none
}

// Open looks at a folder. home is the state folder, which need not exist. Links are
// resolved, so that a folder is the same whichever way leads to it.
func Open(dir, home string) (*Project, error) {
	real, err := canonical(dir)
	if err != nil {
		return nil, fmt.Errorf("open the project folder: %w", err)
	}
	p := &Project{dir: real, home: home}
	if resolved, err := canonical(home); err == nil {
		p.home = resolved
	}
	if user, err := os.UserHomeDir(); err == nil {
		p.userHome = user
		if resolved, err := canonical(user); err == nil {
			p.userHome = resolved
		}
	}
	for _, name := range Folders {
		folder := filepath.Join(p.dir, name)
		if isDir(folder) && !sameFile(folder, p.home) {
			p.folders = append(p.folders, folder)
		}
	}
	for d := p.dir; ; d = filepath.Dir(d) {
		p.above = append(p.above, d)
		if git := filepath.Join(d, ".git"); p.git == "" && exists(git) {
			p.git, p.top = git, len(p.above)
		}
		if filepath.Dir(d) == d {
			break
		}
	}
	if p.git == "" {
		p.top = len(p.above)
	}
	p.agents = p.agentSkills()
	return p, nil
}

// Dir returns the folder, with links resolved.
func (p *Project) Dir() string { return p.dir }

// Settings returns the settings files of the project that exist, the weakest first. They are
// gated.
func (p *Project) Settings() []string {
	var files []string
	for i := len(p.folders) - 1; i >= 0; i-- {
		if file := filepath.Join(p.folders[i], "settings.json"); exists(file) {
			files = append(files, file)
		}
	}
	return files
}

// gated are the names in a project's own folder that need trust, whatever they hold (Pi 0.85).
var gated = []string{"settings.json", "extensions", "skills", "prompts", "themes", "SYSTEM.md", "APPEND_SYSTEM.md"}

// Gated returns what the project has that counts only if it is trusted, relative to its
// folder.
func (p *Project) Gated() []string {
	var found []string
	for _, folder := range p.folders {
		for _, name := range gated {
			if path := filepath.Join(folder, name); exists(path) {
				found = append(found, p.relative(path))
			}
		}
	}
	for _, path := range p.agents {
		found = append(found, p.relative(path))
	}
	return found
}

// agentSkills are the folders .agents/skills of the project, the nearest first. That of the
// user is not the project's, even above it.
func (p *Project) agentSkills() []string {
	var found []string
	for _, dir := range p.above[:p.top] {
		path := filepath.Join(dir, agentsSkills)
		if isDir(path) && (p.userHome == "" || !sameFile(path, filepath.Join(p.userHome, agentsSkills))) {
			found = append(found, path)
		}
	}
	return found
}

// relative names a path as people see it from the project's folder.
func (p *Project) relative(path string) string {
	if rel, err := filepath.Rel(p.dir, path); err == nil {
		return rel
	}
	return path
}

// resolve returns the absolute path that a settings file or a flag means; ~ stands for the
// user's home folder.
func (p *Project) resolve(base, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && p.userHome != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(p.userHome, rest)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// canonical returns the absolute path with links resolved.
func canonical(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
