package resource_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/resource"
)

// TestThemes: the files of themes are those that settings name and those of the folders themes,
// of the project only if it is trusted, without what filters leave out.
func TestThemes(t *testing.T) {
	tree := map[string]string{
		"home/themes/a.json": "{}", "home/themes/b.json": "{}", "home/themes/notes.md": "", "home/themes/.c.json": "{}", "home/themes/below/d.json": "{}",
		"home/more/e.json": "{}", "work/.rondo/themes/f.json": "{}", "work/.pi/themes/g.json": "{}", "work/.pi/own/h.json": "{}",
	}
	for _, test := range []struct {
		trusted        bool
		user, project  []string
		want, problems string
	}{
		{false, nil, nil, "a b", ""},
		{false, []string{"more", "themes/below/d.json", "none"}, []string{"own"}, "e d a b", "none"},
		{true, []string{"more/e.json"}, []string{"own"}, "h f g e a b", ""},
		{true, []string{"!a.json"}, []string{"!themes/g.json"}, "f b", ""},
		{false, []string{"!*", "+themes/b.json"}, nil, "b", ""},
		{false, []string{"-themes/b.json"}, nil, "a", ""},
	} {
		p := files(t, tree)
		found, problems := p.open("work").Themes(&resource.Options{Trusted: test.trusted, Lists: []resource.List{
			{Dir: p.path("work/.pi"), Project: true, Themes: test.project}, {Dir: p.path("home"), Themes: test.user},
		}})
		var names []string
		for _, file := range found {
			names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
		if (len(problems) > 0) != (test.problems != "") || len(problems) > 0 && !strings.HasSuffix(problems[0].Path, test.problems) {
			t.Errorf("%+v: %v", test, problems)
		}
	}
}
