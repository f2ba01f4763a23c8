package search_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/tools/search"
)

// TestIgnoreCases replays results of git from JSON lines.
func TestIgnoreCases(t *testing.T) {
	dir := os.Getenv("AGENT_CASES")
	if dir == "" {
		t.Skip("AGENT_CASES is not set")
	}
	isolateGit(t)
	f, err := os.Open(filepath.Join(dir, "gitignore.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, n := bufio.NewScanner(f), 0
	for ; lines.Scan(); n++ {
		var c struct {
			ID, Path   string
			Gitignores map[string]string
			IsDir      bool `json:"is_dir"`
			Ignored    bool
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			files := map[string]string{}
			for dir, text := range c.Gitignores {
				files[filepath.Join(dir, ".gitignore")] = text
			}
			if got := tree(t, files).Ignored(c.Path, c.IsDir); got != c.Ignored {
				t.Errorf("%s by %q: got ignored %v, want %v", c.Path, c.Gitignores, got, c.Ignored)
			}
		})
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%d cases, %v", n, err)
	}
}

// isolateGit hides the git configuration of the machine and the user.
func isolateGit(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	t.Setenv("GIT_CONFIG_SYSTEM", "")
}

// tree returns the tree of a new directory with files.
func tree(t *testing.T, files map[string]string) *search.Tree {
	t.Helper()
	return openTree(t, writeFiles(t, t.TempDir(), files))
}

func openTree(t testing.TB, dir string) *search.Tree {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return search.New(root, dir)
}

func writeFiles(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
