package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkNestedRules walks 100,000 files below 1,111 nested directories, of
// which each has an ignore file with ordinary patterns.
func BenchmarkNestedRules(b *testing.B) {
	dir := b.TempDir()
	var make func(at string, level int)
	make = func(at string, level int) {
		if err := os.MkdirAll(at, 0o755); err != nil {
			b.Fatal(err)
		}
		write(b, filepath.Join(at, ".gitignore"), "*.o\n*~\n.#*\n*.py[cod]\n[Bb]in/\nbuild/**/tmp*\n**/node_modules/\n/dist*\n*.sw?\n*_generated.*\n!keep_*.o\nt?st_*.go\n*.log.*\n**/cache/*.bin\n")
		for j := range 90 {
			write(b, filepath.Join(at, fmt.Sprintf("file_test_%d.%s", j, []string{"go", "txt", "o", "log.1"}[j%4])), "")
		}
		if level < 3 {
			for j := range 10 {
				make(filepath.Join(at, fmt.Sprintf("sub%d", j)), level+1)
			}
		}
	}
	make(dir, 0)
	tree := openTree(b, dir)
	for b.Loop() {
		found, err := tree.Find(b.Context(), ".", func(string) bool { return true })
		if err != nil || found.Limits.Rules || len(found.Files) == 0 {
			b.Fatalf("%d files, %+v, %v", len(found.Files), found.Limits, err)
		}
	}
}
