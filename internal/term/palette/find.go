package palette

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Find reads theme files, and those of folders. Of two with the same name the first counts.
// Problems are files that are not as they should be; they are left out.
func Find(places ...string) (found []*Palette, problems []error) {
	for _, path := range files(places, &problems) {
		p, err := Read(path)
		if err == nil && isOwn(p.Name) {
			err = fmt.Errorf("theme %s: the name %s is that of a built-in theme", path, p.Name)
		}
		if err == nil {
			if i := slices.IndexFunc(found, func(other *Palette) bool { return other.Name == p.Name }); i >= 0 {
				err = fmt.Errorf("theme %s: the name %s is taken by %s", path, p.Name, found[i].Path)
			}
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		found = append(found, p)
	}
	return found, problems
}

// files lists the theme files of places, each once. A folder that is not there has none.
func files(places []string, problems *[]error) []string {
	var all []string
	for _, place := range places {
		info, err := os.Stat(place)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			*problems = append(*problems, fmt.Errorf("read themes: %w", err))
		case !info.IsDir():
			all = append(all, place)
		default:
			entries, err := os.ReadDir(place) // sorted
			if err != nil {
				*problems = append(*problems, fmt.Errorf("read themes: %w", err))
			}
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), ".json") && !e.IsDir() {
					all = append(all, filepath.Join(place, e.Name()))
				}
			}
		}
	}
	seen := make(map[string]bool)
	return slices.DeleteFunc(all, func(path string) bool {
		again := seen[path]
		seen[path] = true
		return again
	})
}
