package grep_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bigTree makes 20 000 files of 4 KiB in 1 000 folders with some ignore files.
func bigTree(b *testing.B) string {
	b.Helper()
	dir := tree(b, map[string]string{".git/HEAD": "", ".gitignore": "node_modules/\n*.log\n/dist/\n*.tmp\n!keep.tmp\n.DS_Store\n**/generated/*.pb.go\n"})
	text := strings.Repeat("\tif err := store.Append(ctx, entry); err != nil {\n\t\treturn fmt.Errorf(\"append %s: %w\", entry.ID, err)\n\t}\n", 40)
	for i := range 1000 {
		sub := filepath.Join(dir, fmt.Sprintf("m%02d/pkg%d/s%d", i%20, i/20%10, i/200))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			b.Fatal(err)
		}
		for j := range 20 {
			name := fmt.Sprintf("file%03d_%02d.%s", i, j, []string{"go", "ts", "md", "txt"}[j%4])
			if err := os.WriteFile(filepath.Join(sub, name), []byte(text+name+"\n"), 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir
}

func BenchmarkGrep20000(b *testing.B) {
	dir := bigTree(b)
	for name, a := range map[string]args{
		"no match":   {"pattern": "needle"},
		"few":        {"pattern": `file77\d_`},
		"limit":      {"pattern": "return"},
		"glob":       {"pattern": "needle", "glob": "*.ts"},
		"ignoreCase": {"pattern": "needle", "ignoreCase": true},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := run(b.Context(), dir, a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
