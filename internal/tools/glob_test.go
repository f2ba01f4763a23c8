package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A glob means the same in glob and in search.
func TestGlobsOfBothToolsMatchTheSameFiles(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{
		"a.go": "x", "a.ts": "x", ".hidden.go": "x",
		"src/b.go": "x", "src/deep/c.go": "x", "src/deep/d.ts": "x", "src/src/e.go": "x", "other/b.go": "x",
	})
	for name, row := range map[string]struct {
		glob, path string
		want       []string // nil: rejected
	}{
		"a name":                      {"b.go", "", []string{"other/b.go", "src/b.go"}},
		"names":                       {"*.go", "", []string{".hidden.go", "a.go", "other/b.go", "src/b.go", "src/deep/c.go", "src/src/e.go"}},
		"names below a directory":     {"*.go", "src/deep", []string{"src/deep/c.go"}},
		"alternatives":                {"[ac].{go,ts}", "", []string{"a.go", "a.ts", "src/deep/c.go"}},
		"one directory":               {"./*.go", "", []string{".hidden.go", "a.go"}},
		"one directory below another": {"./*.go", "src", []string{"src/b.go"}},
		"a path":                      {"src/b.go", "", []string{"src/b.go"}},
		"a path from the top":         {"src/*.go", "src", []string{"src/b.go", "src/src/e.go"}},
		"a path from the directory":   {"deep/*", "src", []string{"src/deep/c.go", "src/deep/d.ts"}},
		"any depth":                   {"**/*.ts", "", []string{"a.ts", "src/deep/d.ts"}},
		"nothing":                     {"*.rs", "", []string{}},
		"malformed":                   {"[a", "", nil},
		"absolute":                    {"/etc/*", "", nil},
		"outside":                     {"../*", "", nil},
		"too complex":                 {strings.Repeat("{a,b}", 11), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := call(t, ws, "glob", obj{"pattern": row.glob, "path": row.path})
			if (err != nil) != (row.want == nil) {
				t.Fatal(err)
			}
			s, searchErr := call(t, ws, "search", obj{"pattern": "x", "glob": row.glob, "path": row.path})
			if row.want == nil {
				if searchErr == nil || searchErr.Error() != err.Error() {
					t.Errorf("glob: %v; search: %v", err, searchErr)
				}
				return
			}
			if diff := cmp.Diff(paths(g.Text), row.want); diff != "" {
				t.Errorf("glob: got (-), want (+):\n%s", diff)
			}
			if diff := cmp.Diff(paths(s.Text), row.want); diff != "" {
				t.Errorf("search: got (-), want (+):\n%s", diff)
			}
		})
	}
}

// paths returns the sorted lines of a result that are names of files.
func paths(text string) []string {
	out := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ".go") || strings.HasSuffix(line, ".ts") {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}
