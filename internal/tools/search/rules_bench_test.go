package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools/search"
)

// BenchmarkManyRules searches 3,000 files in 150 directories, each of which has
// an ignore file of 900 patterns: once side by side, and once each in the one
// before it, where all patterns above a file hold for it.
func BenchmarkManyRules(b *testing.B) {
	for _, nested := range []bool{false, true} {
		for _, kind := range []string{"mixed", "wildcards", "classes"} {
			name := "beside/" + kind
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

// manyRules makes the tree that BenchmarkManyRules searches.
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

// manyPatterns returns an ignore file of 900 patterns, none of which matches
// what manyRules makes.
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
