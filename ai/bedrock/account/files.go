package account

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// defaultProfile is used where none is named.
const defaultProfile = "default"

// section holds the keys of one section of a shared file, in lower case.
type section map[string]string

// sharedFiles is what the two shared files say.
type sharedFiles struct {
	profiles map[string]section
	sessions map[string]section // of single sign-on, by their names
}

// readShared reads the config file and the credentials file. Files that do not exist are empty; a key
// that both have is the credentials file's.
func readShared() (*sharedFiles, error) {
	files := &sharedFiles{profiles: make(map[string]section), sessions: make(map[string]section)}
	for _, f := range []struct {
		path  string
		place func(title string) section
	}{
		{cmp.Or(os.Getenv("AWS_CONFIG_FILE"), home("config")), files.configSection},
		{cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), home("credentials")), func(title string) section { return open(files.profiles, title) }},
	} {
		text, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		parse(text, f.place)
	}
	return files, nil
}

// home returns the path of a file in the user's AWS folder; a path that does not exist without a home.
func home(elements ...string) string {
	folder, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(append([]string{folder, ".aws"}, elements...)...)
}

// configSection returns the section of the config file with a title; nil for one that is not used.
func (f *sharedFiles) configSection(title string) section {
	kind, name, named := strings.Cut(title, " ")
	name = strings.TrimSpace(name)
	switch {
	case title == defaultProfile:
		return open(f.profiles, title)
	case named && kind == "profile":
		return open(f.profiles, name)
	case named && kind == "sso-session":
		return open(f.sessions, name)
	}
	return nil
}

func open(sections map[string]section, name string) section {
	if sections[name] == nil {
		sections[name] = make(section)
	}
	return sections[name]
}

// parse reads a file of sections, keys and values. Indented lines belong to the nested settings of
// other programs and are passed over, and so are comments.
func parse(text []byte, place func(title string) section) {
	var current section
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	lines.Buffer(nil, max(len(text)+1, 1))
	for lines.Scan() {
		line := lines.Text()
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "", trimmed[0] == '#', trimmed[0] == ';':
			continue
		case trimmed[0] == '[':
			title, _, _ := strings.Cut(trimmed[1:], "]")
			current = place(strings.Join(strings.Fields(title), " "))
			continue
		case line[0] == ' ', line[0] == '\t', current == nil:
			continue
		}
		if key, value, ok := strings.Cut(trimmed, "="); ok {
			current[strings.ToLower(strings.TrimSpace(key))] = withoutComment(strings.TrimSpace(value))
		}
	}
}

// withoutComment cuts a comment that follows a value after white space.
func withoutComment(value string) string {
	for _, mark := range []string{" #", " ;", "\t#", "\t;"} {
		value, _, _ = strings.Cut(value, mark)
	}
	return strings.TrimSpace(value)
}

// profile returns a profile; an error says that a named one does not exist.
func (f *sharedFiles) profile(name string) (section, error) {
	found, ok := f.profiles[name]
	if !ok && name != defaultProfile {
		return nil, fmt.Errorf("there is no profile %q in the shared config and credentials files", name)
	}
	return found, nil
}
