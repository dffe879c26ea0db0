package resource_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/resource"
)

// place is a folder with a state folder, a user's home folder and a project.
type place struct {
	t    testing.TB
	root string
}

// files makes files below a new folder: home/… is the state folder, user/… the home folder
// of the user, work/… the project. The content is the text, or a link to what follows ->.
func files(t testing.TB, tree map[string]string) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t, root}
	for _, dir := range []string{"home", "user", "work"} {
		p.write(dir+"/.keep", "")
	}
	for name, text := range tree {
		p.write(name, text)
	}
	if t, ok := t.(interface{ Setenv(name, value string) }); ok {
		t.Setenv("HOME", p.path("user"))
		t.Setenv("USERPROFILE", p.path("user"))
	}
	return p
}

func (p *place) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *place) write(name, text string) {
	p.t.Helper()
	path := p.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if target, ok := strings.CutPrefix(text, "->"); ok {
		if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
			p.t.Skip("needs links: ", err)
		}
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) open(dir string) *resource.Project {
	p.t.Helper()
	project, err := resource.Open(p.path(dir), p.path("home"))
	if err != nil {
		p.t.Fatal(err)
	}
	return project
}

func (p *place) load(dir string, opts resource.Options) *resource.Set {
	p.t.Helper()
	set, err := p.open(dir).Load(&opts)
	if err != nil {
		p.t.Fatal(err)
	}
	return set
}

// short replaces the folder's own path in a text.
func (p *place) short(text string) string {
	return strings.ReplaceAll(filepath.ToSlash(text), filepath.ToSlash(p.root)+"/", "")
}

// problems lists what is wrong, with short paths.
func (p *place) problems(set *resource.Set) []string {
	var list []string
	for _, problem := range set.Problems {
		list = append(list, p.short(problem.String()))
	}
	return list
}

func skill(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\nDo " + name + ".\n"
}

func (p *place) want(what string, got []string, want ...string) {
	p.t.Helper()
	for i := range got {
		got[i] = p.short(got[i])
	}
	if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
		p.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func contexts(set *resource.Set) []string {
	var list []string
	for _, f := range set.ContextFiles {
		list = append(list, f.Path+": "+strings.TrimSpace(f.Text))
	}
	return list
}

func skills(set *resource.Set) []string {
	var list []string
	for _, s := range set.Skills {
		list = append(list, s.Name+": "+s.Path)
	}
	return list
}

func templates(set *resource.Set) []string {
	var list []string
	for _, t := range set.Templates {
		list = append(list, t.Name+": "+t.Path)
	}
	return list
}
