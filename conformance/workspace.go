package conformance

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// defaultModel are the fields of a model that a scenario does not set.
var defaultModel = ordered.Of(
	"id", "m", "name", "Lab Model", "reasoning", false, "input", []any{"text", "image"},
	"contextWindow", 100000, "maxTokens", 4096,
	"cost", ordered.Of("input", 1, "output", 2, "cacheRead", ordered.Number("0.5"), "cacheWrite", ordered.Number("1.25")))

// workspace is the temporary folder that a program runs in.
type workspace struct {
	top, cwd, home, ext string
	port                int
}

// newWorkspace makes the folder. Its name and those of the folders below it can be seen
// by the program; the normaliser looks for them.
func newWorkspace(port int) (*workspace, error) {
	top, err := os.MkdirTemp("", "lab-")
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(top)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(top))
	}
	w := &workspace{
		top:  real,
		cwd:  filepath.Join(real, "work"),
		home: filepath.Join(real, "home"),
		ext:  filepath.Join(real, "ext"),
		port: port,
	}
	for _, dir := range []string{w.cwd, w.home, w.ext} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, errors.Join(err, w.remove())
		}
	}
	return w, nil
}

func (w *workspace) remove() error { return os.RemoveAll(w.top) }

// slug is the name of the folder of the sessions of cwd.
func (w *workspace) slug() string {
	return "--" + strings.ReplaceAll(strings.Trim(filepath.ToSlash(w.cwd), "/"), "/", "-") + "--"
}

// places replaces the placeholders of a scenario by what they stand for.
func (w *workspace) places() *strings.Replacer {
	return strings.NewReplacer(
		"<cwd>", w.cwd, "<home>", w.home, "<ext>", w.ext,
		"<port>", strconv.Itoa(w.port), "<cwd-slug>", w.slug())
}

// fill writes the files of a scenario.
func (w *workspace) fill(s *Scenario) error {
	models, err := s.models()
	if err != nil {
		return err
	}
	provider := ordered.Of(
		"baseUrl", "http://127.0.0.1:"+strconv.Itoa(w.port)+dialects[s.API].base,
		"api", string(s.API), "apiKey", "lab-key", "models", models).Merge(s.Provider)
	own := map[string]File{
		"models.json":   {ordered.Of("providers", ordered.Of("lab", provider))},
		"settings.json": {objectOrEmpty(s.settings())},
	}
	for _, folder := range []struct {
		root  string
		files map[string]File
	}{{w.home, own}, {w.home, s.HomeFiles}, {w.cwd, s.Files}, {w.ext, s.Extensions}} {
		if err := writeFiles(folder.root, folder.files); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scenario) settings() any {
	if s.Settings == nil {
		return nil
	}
	return s.Settings
}

// models returns the models of the scenario with the default fields filled in.
func (s *Scenario) models() ([]any, error) {
	if s.Models == nil {
		return []any{defaultModel.Merge(s.Model)}, nil
	}
	models := make([]any, len(s.Models))
	for i, m := range s.Models {
		fields, ok := m.(ordered.Object)
		if !ok {
			return nil, fmt.Errorf("scenario %s: models[%d] is no object", s.Name, i)
		}
		models[i] = defaultModel.Merge(fields)
	}
	return models, nil
}

func writeFiles(root string, files map[string]File) error {
	for name, file := range files {
		data, err := file.Bytes()
		if err != nil {
			return fmt.Errorf("content of %s: %w", name, err)
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sessions reads every session file, ordered by path, line by line.
func (w *workspace) sessions() ([][]ordered.Object, error) {
	var dirs []string
	files := map[string][]string{}
	err := walkFiles(filepath.Join(w.home, "sessions"), func(path string) error {
		dir := filepath.Dir(path)
		if files[dir] == nil {
			dirs = append(dirs, dir)
		}
		files[dir] = append(files[dir], path)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(dirs)
	sessions := [][]ordered.Object{}
	for _, dir := range dirs {
		for _, path := range files[dir] {
			if filepath.Ext(path) != ".jsonl" {
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			sessions = append(sessions, parseLines(data))
		}
	}
	return sessions, nil
}

// shown reads those files of the working folder that the scenario shows.
func (w *workspace) shown(names []string) (ordered.Object, error) {
	files := ordered.Object{}
	err := walkFiles(w.cwd, func(path string) error {
		name, err := filepath.Rel(w.cwd, path)
		if err != nil || !slices.Contains(names, filepath.ToSlash(name)) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var content any = validText(data)
		if slices.Contains(data, 0) {
			content = ordered.Of("base64", base64.StdEncoding.EncodeToString(data))
		}
		files = files.With(filepath.ToSlash(name), content)
		return nil
	})
	return files, err
}

// walkFiles visits what is no folder, in the order of the names. What does not exist, or
// not any more, is passed over.
func walkFiles(root string, visit func(path string) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || entry.IsDir():
			return err
		}
		return visit(path)
	})
}
