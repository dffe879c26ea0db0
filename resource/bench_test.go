package resource_test

import (
	"fmt"
	"testing"

	"github.com/rondo-agent/rondo/resource"
)

// BenchmarkStart does all that a start does in a project of some depth with ten skills and ten
// templates.
func BenchmarkStart(b *testing.B) {
	tree := map[string]string{"home/AGENTS.md": "global", "work/repo/.git/HEAD": "", "work/repo/AGENTS.md": "top", "work/repo/a/b/c/x": ""}
	for i := range 10 {
		tree[fmt.Sprintf("home/skills/skill-%d/SKILL.md", i)] = skill(fmt.Sprintf("skill-%d", i), "Does one thing and does it well.")
		tree[fmt.Sprintf("home/prompts/prompt-%d.md", i)] = "---\ndescription: Asks\nargument-hint: FILE\n---\nLook at $1.\n"
	}
	p := files(b, tree)
	b.ReportAllocs()
	for b.Loop() {
		project, err := resource.Open(p.path("work/repo/a/b/c"), p.path("home"))
		if err != nil {
			b.Fatal(err)
		}
		v, err := project.Judge(nil)
		if err != nil {
			b.Fatal(err)
		}
		set, err := project.Load(&resource.Options{Trusted: v.Trusted})
		if err != nil || len(set.Commands()) != 20 || len(set.ContextFiles) != 2 {
			b.Fatalf("%+v, %v", set, err)
		}
	}
}
