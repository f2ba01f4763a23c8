package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools/search"
)

// BenchmarkManyRules searches 3,000 files in 150 directories, each with an ignore
// file of 900 patterns. The directories are siblings, or nested, where all patterns
// above a file apply to it.
func BenchmarkManyRules(b *testing.B) {
	for _, nested := range []bool{false, true} {
		for _, kind := range []string{"mixed", "wildcards", "classes"} {
			name := "siblings/" + kind
			if nested {
				name = "nested/" + kind
			}
			b.Run(name, func(b *testing.B) {
				tree := openTree(b, manyRules(b, b.TempDir(), nested, kind))
				q, err := search.Compile("needle", search.Syntax{})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					r, err := tree.Grep(b.Context(), ".", q, search.Options{Max: 10})
					if err != nil || r.InFiles == 0 {
						b.Fatalf("got %d files, %v", r.InFiles, err)
					}
				}
			})
		}
	}
}

// BenchmarkNestedRules walks 100,000 files below 1,111 nested directories, each with
// an ignore file of ordinary patterns.
func BenchmarkNestedRules(b *testing.B) {
	dir := b.TempDir()
	var fill func(at string, level int)
	fill = func(at string, level int) {
		if err := os.MkdirAll(at, 0o755); err != nil {
			b.Fatal(err)
		}
		write(b, filepath.Join(at, ".gitignore"), "*.o\n*~\n.#*\n*.py[cod]\n[Bb]in/\nbuild/**/tmp*\n**/node_modules/\n/dist*\n*.sw?\n*_generated.*\n!keep_*.o\nt?st_*.go\n*.log.*\n**/cache/*.bin\n")
		for j := range 90 {
			write(b, filepath.Join(at, fmt.Sprintf("file_test_%d.%s", j, []string{"go", "txt", "o", "log.1"}[j%4])), "")
		}
		if level < 3 {
			for j := range 10 {
				fill(filepath.Join(at, fmt.Sprintf("sub%d", j)), level+1)
			}
		}
	}
	fill(dir, 0)
	tree := openTree(b, dir)
	for b.Loop() {
		found, err := tree.Find(b.Context(), ".", func(string) bool { return true })
		if err != nil || found.Limits.Rules || len(found.Files) == 0 {
			b.Fatalf("%d files, %+v, %v", len(found.Files), found.Limits, err)
		}
	}
}

// manyRules creates the tree that BenchmarkManyRules searches.
func manyRules(t testing.TB, dir string, nested bool, kind string) string {
	t.Helper()
	at := dir
	for i := range 150 {
		if nested {
			at = filepath.Join(at, "d")
		} else {
			at = filepath.Join(dir, fmt.Sprintf("d%03d", i))
		}
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(at, ".gitignore"), manyPatterns(i, kind))
		for j := range 20 {
			write(t, filepath.Join(at, fmt.Sprintf("file_%d_%d.go", i, j)), "package needle\n")
		}
	}
	return dir
}

// manyPatterns returns an ignore file of 900 patterns that match no file of
// manyRules.
func manyPatterns(i int, kind string) string {
	kinds := map[string][]string{
		"mixed":     {"name_%d_%d", "*.e%d_%d", "gen_%d_%d_*.o", "/top%d_%d", "a/**/b%d_%d/*.x", "**/c%d_%d/[ab]*", "*_%d_%d.?o", "/x/*_%d_%d*y*", "dir_%d_%d/"},
		"wildcards": {"*f*i*l*e*_%d_%d*x", "**/*f*i*l*e_%d_%d?*o*x"},
		"classes":   {"[f]*[i]*_%d_%d[.]g[a-n]", "file_%d_%d.[a-f]*"},
	}[kind]
	var b strings.Builder
	for j := range 900 {
		fmt.Fprintf(&b, kinds[j%len(kinds)]+"\n", i, j)
	}
	return b.String()
}
