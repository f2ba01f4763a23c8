package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/search"
)

// paths returns the files that a walk from start yields, by path.
func paths(t *testing.T, tree *search.Tree, start string) []string {
	t.Helper()
	found, err := tree.Find(t.Context(), start, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found.Files {
		out = append(out, f.Path)
	}
	slices.Sort(out)
	return out
}

func TestWalk(t *testing.T) {
	isolateGit(t)
	for name, c := range map[string]struct {
		files map[string]string
		start string
		want  []string
	}{
		"hidden files, but not git's": {
			files: map[string]string{".env": "", ".github/ci.yml": "", ".git/HEAD": "", ".git/config": "", "a": ""},
			want:  []string{".env", ".github/ci.yml", "a"},
		},
		"an ignored directory that is asked for": {
			files: map[string]string{".gitignore": "out/\n*.log\n", "out/a": "", "out/b.log": ""},
			start: "out",
			want:  []string{"out/a"},
		},
		".ignore over .gitignore": {
			files: map[string]string{".gitignore": "vendor\n", ".ignore": "!vendor\ntestdata\n", "vendor/a": "", "testdata/b": ""},
			want:  []string{".gitignore", ".ignore", "vendor/a"},
		},
		"nothing back below an ignored directory": {
			files: map[string]string{".gitignore": "out\n!out/keep\n", "out/keep": "", "out/.gitignore": "!keep\n"},
			want:  []string{".gitignore"},
		},
		".agentignore over all": {
			files: map[string]string{".gitignore": "a\n", ".ignore": "!a\nb\n", ".agentignore": "!b\nc/d\n", "a": "", "b": "", "c/d": "", "c/e": "", "c/.agentignore": "e\n"},
			want:  []string{".agentignore", ".gitignore", ".ignore", "a", "b", "c/.agentignore"},
		},
		"a repository within, and rules that are not git's": {
			files: map[string]string{
				".agentignore": "secret\n", ".ignore": "*.min\n!a.min\n", ".gitignore": "*.o\n",
				"lib/.git/HEAD": "", "lib/secret": "", "lib/a.min": "", "lib/b.min": "", "lib/a.o": "",
			},
			want: []string{".agentignore", ".gitignore", ".ignore", "lib/a.min", "lib/a.o"},
		},
		"a repository within": {
			files: map[string]string{
				".gitignore": "*.o\n", "a.o": "",
				"lib/.git/HEAD": "", "lib/.git/info/exclude": "b\n", "lib/a.o": "", "lib/b": "", "lib/deep/a.o": "",
			},
			want: []string{".gitignore", "lib/a.o", "lib/deep/a.o"},
		},
		"a submodule": {
			files: map[string]string{
				".git/HEAD": "", ".gitignore": "*.o\n", ".git/modules/sub/HEAD": "", ".git/modules/sub/info/exclude": "b\n",
				"sub/.git": "gitdir: ../.git/modules/sub\n", "sub/a.o": "", "sub/b": "",
			},
			want: []string{".gitignore", "sub/a.o"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			start := c.start
			if start == "" {
				start = "."
			}
			if diff := cmp.Diff(paths(t, tree(t, c.files), start), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

func TestRulesFromAbove(t *testing.T) {
	isolateGit(t)
	repo := writeFiles(t, t.TempDir(), map[string]string{
		".gitignore":        "above\n/sub/dir/anchored\n",
		".git/HEAD":         "ref: refs/heads/main\n",
		".git/info/exclude": "excluded\n",
		"sub/.gitignore":    "!kept\ndir/*.x\n",
		".agentignore":      "unseen\n", "sub/.ignore": "dir/unwanted\n", "sub/dir/unseen": "", "sub/dir/unwanted": "",
		"sub/dir/above": "", "sub/dir/anchored": "", "sub/dir/excluded": "", "sub/dir/a.x": "", "sub/dir/kept": "", "sub/dir/personal": "", "sub/dir/named": "",
	})
	work := filepath.Join(repo, "sub", "dir")
	if diff := cmp.Diff(paths(t, openTree(t, work), "."), []string{"kept", "named", "personal"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	home := os.Getenv("HOME")
	writeFiles(t, home, map[string]string{".config/git/ignore": "personal\n"})
	if diff := cmp.Diff(paths(t, openTree(t, work), "."), []string{"kept", "named"}); diff != "" {
		t.Errorf("with git/ignore: got (-), want (+):\n%s", diff)
	}
	writeFiles(t, home, map[string]string{
		".gitconfig": "[include]\n\tpath = more\n", "more": "[user]\nname = x # \\\n[CORE]ExcludesFile = \"~/ru\\\nles\" ; mine\n", "rules": "named\n",
	})
	if diff := cmp.Diff(paths(t, openTree(t, work), "."), []string{"kept", "personal"}); diff != "" {
		t.Errorf("with core.excludesFile: got (-), want (+):\n%s", diff)
	}
	writeFiles(t, repo, map[string]string{".git/config": "[core]\n\texcludesFile = above\n[include]\n\tpath = last\n", ".git/last": "[core]\n\texcludesFile =\n"})
	if diff := cmp.Diff(paths(t, openTree(t, work), "."), []string{"kept", "named", "personal"}); diff != "" {
		t.Errorf("without core.excludesFile: got (-), want (+):\n%s", diff)
	}
}

func TestManyFilesInOneDirectory(t *testing.T) {
	isolateGit(t)
	files := map[string]string{}
	var want []string
	for i := range 200 {
		name := fmt.Sprintf("f%04d", i)
		files[name] = ""
		want = append(want, name)
	}
	if diff := cmp.Diff(paths(t, tree(t, files), "."), want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// TestDeepTrees walks trees in which many directories wait for their subdirectories.
func TestDeepTrees(t *testing.T) {
	isolateGit(t)
	files := map[string]string{".gitignore": "*.o\n"}
	want := []string{".gitignore"}
	for depth := 1; depth <= 250; depth++ {
		d := strings.Repeat("d/", depth)
		files[d+"a/f"], files[d+"z/f"], files[d+"x.o"] = "", "", ""
		want = append(want, d+"a/f", d+"z/f")
	}
	slices.Sort(want)
	tr := tree(t, files)
	if diff := cmp.Diff(paths(t, tr, "."), want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	var most atomic.Int64
	open := func() int64 {
		entries, _ := os.ReadDir("/dev/fd")
		return int64(len(entries))
	}
	before := open()
	if _, err := tr.Find(t.Context(), ".", func(string) bool {
		most.Store(max(most.Load(), open()))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if most.Load()-before > 200 {
		t.Errorf("got %d more files open than before, want only some of the 750 directories", most.Load()-before)
	}
	if after := open(); after > before {
		t.Errorf("got %d files open after it, %d before", after, before)
	}
}

// TestAWalkFollowsNoLink replaces a directory by a link during a walk.
func TestAWalkFollowsNoLink(t *testing.T) {
	isolateGit(t)
	outside := writeFiles(t, t.TempDir(), map[string]string{"secret": "hit\n"})
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("d%02d/secret", i)] = "miss\n"
	}
	dir := writeFiles(t, t.TempDir(), files)
	tr := openTree(t, dir)
	var once sync.Once
	r := grep(t, tr, "hit", false, search.Options{Max: 100, Match: func(string) bool {
		once.Do(func() {
			for i := range 60 {
				d := filepath.Join(dir, fmt.Sprintf("d%02d", i))
				if os.Rename(d, d+"-gone") != nil || os.Symlink(outside, d) != nil {
					return // where links cannot be made there is nothing to follow
				}
			}
		})
		return true
	}})
	if r.InFiles != 0 {
		t.Errorf("got %q, which is outside", lines(r))
	}
}
