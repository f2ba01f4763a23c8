package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
)

// TestSearchAllowsTheOutputDirectory searches the saved output of a session in a
// directory that git ignores.
func TestSearchAllowsTheOutputDirectory(t *testing.T) {
	isolateGit(t)
	ws, dir := newWorkspace(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".gitignore": "*.txt\nstate\n", ".agentignore": "s.out\n", "a.go": "needle\n",
	})
	out := filepath.Join(dir, "state", "s.out")
	ws.Attach(out)
	writeFile(t, filepath.Join(out, "1.txt"), "hay\nneedle\n")
	one := filepath.Join(out, "1.txt")
	for name, c := range map[string]struct {
		tool string
		args obj
		want string
	}{
		"all":       {"search", obj{"pattern": "needle", "path": out}, one + "\n2: needle\n\n1 match in 1 file.\n"},
		"one":       {"search", obj{"pattern": "needle", "path": one, "context": 1}, one + "\n1- hay\n2: needle\n\n1 match in 1 file.\n"},
		"workspace": {"search", obj{"pattern": "needle"}, "a.go\n1: needle\n\n1 match in 1 file.\n"},
		"glob":      {"glob", obj{"pattern": "*.txt", "path": out}, one + "\n"},
		"list":      {"list", obj{"path": out}, out + "/\n  1.txt\n"},
	} {
		t.Run(name, func(t *testing.T) {
			call, err := prepare(t, ws, c.tool, c.args)
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := c.args["path"]; ok && (call.Targets[0].Value != p || !strings.Contains(call.Title, p.(string))) {
				t.Errorf("got %s on %v, want it on %s", call.Title, call.Targets, p)
			}
			r, err := call.Run(t.Context(), tools.Approved{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r.Text, c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

func TestSearchReportsProgress(t *testing.T) {
	isolateGit(t)
	ws, _ := newWorkspace(t, map[string]string{"a/x": "hit\n-\nhit\n", "b/y": "hit 1\nhit 2\n"})
	c, err := prepare(t, ws, "search", obj{"pattern": "hit", "max_results": 3})
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	if _, err := c.Run(t.Context(), tools.Approved{Progress: func(s string) { shown.WriteString(s) }}); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(shown.String(), "\n"), "\n")
	all := []string{"a/x:1: hit", "a/x:3: hit", "b/y:1: hit 1", "b/y:2: hit 2"}
	if len(got) != 3 || strings.Count(strings.Join(all, "\n"), strings.Join(got[:2], "\n")) != 1 {
		t.Errorf("got %q, want three of %q", got, all)
	}
}

// The note for a truncated result has the number of all results.
func TestOmittedResultsAreCounted(t *testing.T) {
	isolateGit(t)
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d/f%03d", i)] = strings.Repeat("hit\n", 3)
	}
	ws, _ := newWorkspace(t, files)
	for _, c := range []struct {
		tool string
		args obj
		want string
	}{
		{"search", obj{"pattern": "hit", "max_results": 4}, "[truncated: the first 4 are shown, in 2 files by path; narrow the pattern, path or glob, or raise max_results]\n"},
		{"search", obj{"pattern": "hit", "max_results": 5000}, "900 matches in 300 files.\n"},
		{"search", obj{"pattern": "(?s)h.*t", "max_results": 1, "multiline": true}, "[truncated: the first 1 are shown, in 1 file by path; narrow the pattern, path or glob, or raise max_results]\n"},
		{"glob", obj{"pattern": "**/f*"}, "[truncated: 100 more files; the 200 most recently changed are shown, narrow the pattern to see the others]\n"},
	} {
		r, err := call(t, ws, c.tool, c.args)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(r.Text, "\n")
		if diff := cmp.Diff(lines[len(lines)-2], c.want); diff != "" {
			t.Errorf("%s %v: got (-), want (+):\n%s", c.tool, c.args, diff)
		}
	}
}

func TestNewlinesInNamesAreEscaped(t *testing.T) {
	isolateGit(t)
	name := "a\n1: forged"
	ws, dir := newWorkspace(t, nil)
	if err := os.WriteFile(filepath.Join(dir, name), []byte("hit\n"), 0o666); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		tool string
		args obj
		want string
	}{
		{"search", obj{"pattern": "hit"}, "\"a\\n1: forged\"\n1: hit\n\n1 match in 1 file.\n"},
		{"glob", obj{"pattern": "*"}, "\"a\\n1: forged\"\n"},
		{"list", obj{}, "./\n  \"a\\n1: forged\"\n"},
	} {
		r, err := call(t, ws, c.tool, c.args)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Text, c.want); diff != "" {
			t.Errorf("%s: got (-), want (+):\n%s", c.tool, diff)
		}
	}
}
