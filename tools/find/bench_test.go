package find_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// bigTree makes 20 000 files in 1 000 folders with some ignore files.
func bigTree(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	tree(b, dir, ".git/HEAD", ".gitignore=node_modules/\n*.log\n/dist/\n*.tmp\n!keep.tmp\n.DS_Store\n**/generated/*.pb.go\n")
	for i := range 1000 {
		sub := filepath.Join(dir, fmt.Sprintf("m%02d/pkg%d/s%d", i%20, i/20%10, i/200))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			b.Fatal(err)
		}
		for j := range 20 {
			name := fmt.Sprintf("file%03d_%02d.%s", i, j, []string{"go", "ts", "md", "log"}[j%4])
			if err := os.WriteFile(filepath.Join(sub, name), nil, 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir
}

func BenchmarkFind20000(b *testing.B) {
	dir := bigTree(b)
	for _, pattern := range []string{"*.ts", "m1*/**/*.{go,ts}", "nothing"} {
		b.Run(pattern, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustRun(b, dir, args{"pattern": pattern, "limit": 1e6})
			}
		})
	}
}
