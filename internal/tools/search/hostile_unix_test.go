//go:build unix

package search_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/search"
)

// promptly fails the test if do hangs. The limit is generous for slow machines.
func promptly(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		t.Fatal("it takes longer than 20 s")
	}
}

// limits returns the limits that a list, a glob and a grep of a tree hit. All three
// must hit the same limits.
func limits(t *testing.T, tree *search.Tree) search.Limits {
	t.Helper()
	var out search.Limits
	promptly(t, func() {
		found, err := tree.Find(t.Context(), ".", func(string) bool { return true })
		if err != nil {
			t.Error(err)
		}
		if _, err := tree.List(t.Context(), ".", 3, 100); err != nil {
			t.Error(err)
		}
		r := grep(t, tree, "needle", false, search.Options{Max: 10})
		if diff := cmp.Diff(r.Limits, found.Limits); diff != "" {
			t.Errorf("text (-), files (+):\n%s", diff)
		}
		out = r.Limits
	})
	return out
}

// TestConfigurationThatIncludesItself includes each file ten times in itself.
func TestConfigurationThatIncludesItself(t *testing.T) {
	isolateGit(t)
	include := func(names ...string) string {
		text := "[core]\n\texcludesFile = .git/rules\n[include]\n"
		for _, name := range names {
			text += "\tpath = " + name + "\n"
		}
		return text
	}
	itself := make([]string, 100)
	for i := range itself {
		itself[i] = "config"
	}
	var others []string
	for i := range 30 {
		others = append(others, fmt.Sprintf("c%d", i))
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  search.Limits
	}{
		"itself": {map[string]string{".git/config": include(itself...)}, search.Limits{}},
		"in a circle": {map[string]string{
			".git/config": include("a", "a", "b"), ".git/a": include("b", "b", "config"), ".git/b": include("a", "./config", "../.git/a"),
		}, search.Limits{}},
		"each other": {map[string]string{".git/config": include(others...)}, search.Limits{Rules: true}},
	} {
		t.Run(name, func(t *testing.T) {
			c.files[".git/HEAD"], c.files[".git/rules"] = "ref: refs/heads/main\n", "gone\n"
			c.files["kept"], c.files["gone"] = "needle\n", "needle\n"
			for _, other := range others {
				c.files[".git/"+other] = include(others...)
			}
			tree := tree(t, c.files)
			if diff := cmp.Diff(limits(t, tree), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
			if diff := cmp.Diff(paths(t, tree, "."), []string{"kept"}); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

// TestSpecialFilesInPlaceOfGitFiles has devices, pipes and link cycles in place of the
// files of git.
func TestSpecialFilesInPlaceOfGitFiles(t *testing.T) {
	const head = "ref: refs/heads/main\n"
	for name, c := range map[string]struct {
		files map[string]string
		pipe  string
		links map[string]string
	}{
		"excludes without an end":      {files: map[string]string{".git/HEAD": head, ".git/config": "[core]\nexcludesFile = /dev/zero\n"}},
		"excludes of a pipe":           {files: map[string]string{".git/HEAD": head, ".git/config": "[core]\nexcludesFile = .git/pipe\n"}, pipe: ".git/pipe"},
		"excludes of a directory":      {files: map[string]string{".git/HEAD": head, ".git/config": "[core]\nexcludesFile = .git\n"}},
		"an include without an end":    {files: map[string]string{".git/HEAD": head, ".git/config": "[include]\npath = /dev/zero\n"}},
		"a configuration of a pipe":    {files: map[string]string{".git/HEAD": head}, pipe: ".git/config"},
		"a configuration that circles": {files: map[string]string{".git/HEAD": head}, links: map[string]string{".git/config": "config"}},
		"info of a device":             {files: map[string]string{".git/HEAD": head, ".git/info/x": ""}, links: map[string]string{".git/info/exclude": "/dev/zero"}},
		"a .git of a pipe":             {pipe: ".git"},
		"a .git without an end":        {links: map[string]string{".git": "/dev/zero"}},
		"a .git that names itself":     {files: map[string]string{".git": "gitdir: .git\n"}},
		"a .git that circles":          {links: map[string]string{".git": ".git"}},
		"a large .git":                 {files: map[string]string{".git": "gitdir: " + strings.Repeat("x/../", 100_000)}},
		"a commondir that is itself":   {files: map[string]string{".git/HEAD": head, ".git/commondir": ".\n"}},
		"a commondir of a pipe":        {files: map[string]string{".git/HEAD": head}, pipe: ".git/commondir"},
		"a commondir without an end":   {files: map[string]string{".git/HEAD": head}, links: map[string]string{".git/commondir": "/dev/zero"}},
		"large packed refs":            {files: map[string]string{".git/HEAD": head, ".git/packed-refs": strings.Repeat("0123456789 refs/heads/x\n", 500_000)}},
		"rules of a pipe":              {pipe: ".gitignore"},
		"rules without an end":         {links: map[string]string{".agentignore": "/dev/zero"}},
	} {
		for _, at := range []string{".", "sub"} {
			t.Run(name+" in "+at, func(t *testing.T) {
				isolateGit(t)
				dir := writeFiles(t, t.TempDir(), map[string]string{"kept": "needle\n", "sub/kept": "needle\n"})
				writeFiles(t, filepath.Join(dir, at), c.files)
				if c.pipe != "" {
					if err := syscall.Mkfifo(filepath.Join(dir, at, c.pipe), 0o666); err != nil {
						t.Skip(err)
					}
				}
				for from, to := range c.links {
					if err := os.Symlink(to, filepath.Join(dir, at, from)); err != nil {
						t.Skip(err)
					}
				}
				tree := openTree(t, dir)
				if diff := cmp.Diff(limits(t, tree), search.Limits{}); diff != "" {
					t.Errorf("got (-), want (+):\n%s", diff)
				}
				var found []string
				for _, p := range paths(t, tree, ".") {
					if filepath.Base(p) == "kept" {
						found = append(found, p)
					}
				}
				if diff := cmp.Diff(found, []string{"kept", "sub/kept"}); diff != "" {
					t.Errorf("got (-), want (+):\n%s", diff)
				}
			})
		}
	}
}

func TestWalksDoNotFollowLinks(t *testing.T) {
	isolateGit(t)
	dir := writeFiles(t, t.TempDir(), map[string]string{"a/b/f": "needle\n"})
	for from, to := range map[string]string{"loop": "loop", "a/up": "..", "a/b/top": dir, "here": "."} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	tree := openTree(t, dir)
	if diff := cmp.Diff(limits(t, tree), search.Limits{}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	if diff := cmp.Diff(paths(t, tree, "."), []string{"a/b/f"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// In a tree with too many rules, the first ones apply. The result reports that
// others were omitted.
func TestRulesBeyondTheBudget(t *testing.T) {
	isolateGit(t)
	many := func(format string) string {
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		rules string
		caps  search.Caps
		want  []string
	}{
		"patterns": {"early\n" + many("name%d") + "late\n", search.Caps{Patterns: 500}, []string{".gitignore", "late", "long"}},
		"bytes":    {"early\n" + many("name%d") + "late\n", search.Caps{Bytes: 5000}, []string{".gitignore", "late", "long"}},
		"steps":    {many("*l*o*n*%dg") + "early\n", search.Caps{Steps: 1}, []string{".gitignore", "early", "late", "long"}},
		"classes":  {many("[l]o%d[n]g*") + "lo[n]g\nl[o]ng\nearl[y]\nlat[e]\n", search.Caps{Compiled: 2}, nil},
		"a pattern": {"early\n" + strings.Repeat("*l", 3000) + "\nlate\n", search.Caps{}, []string{
			".gitignore", "long"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{".gitignore": c.rules, "early": "", "late": "", "long": ""}
			if name == "steps" { // an entry that is compared with all patterns exceeds the limit
				for i := range 20 {
					files[".gitignore"] += many(fmt.Sprintf("*l*o*n*g*%d*", i) + "%d")
				}
			}
			tree := tree(t, files).Cap(c.caps)
			if got := limits(t, tree); !got.Rules {
				t.Errorf("got %+v, want that not all rules were applied", got)
			}
			if c.want == nil {
				return
			}
			if diff := cmp.Diff(paths(t, tree, "."), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

func TestDirectoriesBeyondTheDepth(t *testing.T) {
	isolateGit(t)
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	// Deeper than the longest path that a system call accepts.
	const depth = 1500
	at := root
	for range depth {
		if err := at.Mkdir("dddd", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot("dddd")
		if err != nil {
			t.Fatal(err)
		}
		if at != root {
			at.Close()
		}
		at = next
	}
	at.Close()
	t.Cleanup(func() { os.RemoveAll(dir) })
	writeFiles(t, dir, map[string]string{"a/b/c/d/f": "needle\n", "a/f": "needle\n"})
	promptly(t, func() {
		if r := grep(t, openTree(t, dir), "needle", false, search.Options{Max: 10}); r.Limits.Deep != 1 || r.InFiles != 2 {
			t.Errorf("got %d files and %+v, want 2 and one directory too deep", r.InFiles, r.Limits)
		}
	})
	tree := openTree(t, dir).Cap(search.Caps{Depth: 2})
	if diff := cmp.Diff(paths(t, tree, "."), []string{"a/f"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestDirectoriesOfManyEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	isolateGit(t)
	files := map[string]string{".gitignore": "*.o\n"}
	for i := range 2100 {
		files[fmt.Sprintf("f%d", i)] = ""
		files[fmt.Sprintf("f%d.o", i)] = ""
	}
	dir := writeFiles(t, t.TempDir(), files)
	// The rules of a directory apply to all of its entries that are read.
	if got := len(paths(t, openTree(t, dir), ".")); got != 2101 {
		t.Errorf("got %d files, want 2101", got)
	}
	few := openTree(t, dir).Cap(search.Caps{Entries: 3000})
	found, err := few.Find(t.Context(), ".", func(string) bool { return true })
	if err != nil || found.Limits.Large != 1 || len(found.Files) > 3000 || len(found.Files) < 899 {
		t.Errorf("got %d files, %+v, %v, want some and one large directory", len(found.Files), found.Limits, err)
	}
	l, err := few.List(t.Context(), ".", 1, 10)
	if err != nil || l.Limits.Large != 1 || len(l.Entries) != 10 || len(l.Entries)+l.More+l.Ignored != 3000 {
		t.Errorf("got %d entries, %d more, %d ignored, %+v, %v, want 3000 of a large directory", len(l.Entries), l.More, l.Ignored, l.Limits, err)
	}
	if l, err := openTree(t, dir).List(t.Context(), ".", 1, 10); err != nil || l.More != 2091 || l.Ignored != 2100 || l.Limits != (search.Limits{}) {
		t.Errorf("got %d more, %d ignored, %+v, %v", l.More, l.Ignored, l.Limits, err)
	}
}

// TestFilesThatGrow searches a file that is longer than its size, like one that grows
// during the search.
func TestFilesThatGrow(t *testing.T) {
	const file = "kallsyms"
	if info, err := os.Stat("/proc/" + file); err != nil || info.Size() != 0 {
		t.Skip("there is no such file here")
	}
	if b, err := os.ReadFile("/proc/" + file); err != nil || len(b) < 1<<20 {
		t.Skip("the file is too small here")
	}
	q, err := search.Compile(".", search.Syntax{})
	if err != nil {
		t.Fatal(err)
	}
	count := func(c search.Caps) search.Results {
		r, err := openTree(t, "/proc").Cap(c).Grep(t.Context(), file, q, search.Options{Max: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all, some := count(search.Caps{}), count(search.Caps{Growth: 1})
	if all.Limits.Grown != 0 || some.Limits.Grown != 1 || some.Lines == 0 || some.Lines >= all.Lines {
		t.Errorf("got %d lines, %+v, want less than %d and one file that grew", some.Lines, some.Limits, all.Lines)
	}
}

// TestAnInterruptEndsAWalk cancels a walk while it compares one entry with very many
// patterns.
func TestAnInterruptEndsAWalk(t *testing.T) {
	isolateGit(t)
	files := map[string]string{}
	var rules strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&rules, "%s%d*b\n", strings.Repeat("a*", 90), i%9)
	}
	files[".gitignore"] = rules.String()
	for i := range 300 {
		files[fmt.Sprintf("%sb%d012345678c", strings.Repeat("a", 200), i)] = ""
	}
	tree := tree(t, files).Cap(search.Caps{Steps: 1 << 50})
	for name, do := range map[string]func(ctx context.Context) error{
		"find": func(ctx context.Context) error {
			_, err := tree.Find(ctx, ".", func(string) bool { return true })
			return err
		},
		"list": func(ctx context.Context) error {
			_, err := tree.List(ctx, ".", 1, 10)
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		began := time.Now()
		if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v, want the error of the context", name, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it ended after %v", name, took)
		}
		cancel()
	}
}
