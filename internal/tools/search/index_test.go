package search_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/search"
)

// indexOf returns a complete index of a new tree with files, and its directory.
func indexOf(t testing.TB, files map[string]string) (*search.Index, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(dir, name), content)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	x := search.NewIndex(search.New(root, dir))
	t.Cleanup(x.Close)
	filled(t, x)
	return x, dir
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// filled waits until x is complete.
func filled(t testing.TB, x *search.Index) {
	t.Helper()
	until(t, func() bool {
		_, final := x.Suggest(t.Context(), "", 1)
		return final
	})
}

// until waits for done, with a limit against a hang.
func until(t testing.TB, done func() bool) {
	t.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatal("it did not come to that in 30 s")
		}
	}
}

func suggested(x *search.Index, query string, limit int) []string {
	var out []string
	found, _ := x.Suggest(context.Background(), query, limit)
	for _, s := range found {
		if s.Dir {
			s.Path += "/"
		}
		out = append(out, s.Path)
	}
	return out
}

func TestSuggestions(t *testing.T) {
	isolateGit(t)
	x, _ := indexOf(t, map[string]string{
		".gitignore": "out/\n*.log\n", ".git/HEAD": "", ".github/workflows/tests.yml": "",
		"README.md": "", "main.go": "", "go.mod": "", "internal/tui/model.go": "", "internal/tui/editor.go": "",
		"internal/tui/editor_test.go": "", "internal/loop/turn.go": "", "cmd/agent/main.go": "", "cmd/agent/mainLoop.go": "",
		"docs/two words.md": "", "out/main.go": "", "out/deep/editor.go": "", "trace.log": "", "internal/export/html.go": "",
		"docs/Ünïcode.md": "",
	})
	for _, c := range []struct {
		query string
		want  []string // the first suggestions
	}{
		{"", []string{"cmd/", "docs/", "go.mod", "main.go", "internal/"}},
		{"main.go", []string{"main.go", "cmd/agent/main.go", "cmd/agent/mainLoop.go", "out/main.go"}},
		{"editor", []string{"internal/tui/editor.go", "internal/tui/editor_test.go", "out/deep/editor.go"}},
		{"tuied", []string{"internal/tui/editor.go", "internal/tui/editor_test.go"}},
		{"itm", []string{"internal/tui/model.go"}},
		{"readme", []string{"README.md"}},
		{"README", []string{"README.md"}},
		{"internal/", []string{"internal/tui/", "internal/loop/", "internal/export/"}},
		{"ml", []string{"cmd/agent/mainLoop.go"}},
		{"two words", []string{"docs/two words.md"}},
		{"tests", []string{".github/workflows/tests.yml"}},
		{".gith", []string{".github/"}},
		{"trace", []string{"trace.log"}},
		{"nïc", []string{"docs/Ünïcode.md"}},
		{"HEAD", nil},
		{"zzz", nil},
	} {
		got := suggested(x, c.query, 50)
		if len(c.want) > 0 {
			got = got[:min(len(got), len(c.want))]
		}
		if diff := cmp.Diff(got, c.want); diff != "" {
			t.Errorf("%q: %s", c.query, diff)
		}
	}
	if got := suggested(x, "o", 3); len(got) != 3 {
		t.Errorf("got %d suggestions, want 3", len(got))
	}
}

// Hidden files come after the others, ignored ones last.
func TestSuggestionsRankIgnoredFilesLast(t *testing.T) {
	isolateGit(t)
	x, _ := indexOf(t, map[string]string{".gitignore": "a_notes.md\n", "a_notes.md": "", ".notes.md": "", "some/where/deep/my_notes.md": ""})
	want := []string{"some/where/deep/my_notes.md", ".notes.md", "a_notes.md"}
	if diff := cmp.Diff(suggested(x, "notes.md", 9), want); diff != "" {
		t.Error(diff)
	}
}

// The marked letters are those of the query, in order.
func TestSuggestionsMarkMatchedLetters(t *testing.T) {
	isolateGit(t)
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("pkg%d/someFile_%d/the-Thing.%d.go", i%7, i%11, i)] = ""
	}
	x, _ := indexOf(t, files)
	for _, query := range []string{"", "t", "pth", "p1go", "SFT", "thing.2", "e/t", "k3.go"} {
		found, _ := x.Suggest(t.Context(), query, 100)
		if len(found) == 0 {
			t.Errorf("%q: nothing was found", query)
		}
		for _, s := range found {
			var letters strings.Builder
			before := -1
			for _, at := range s.At {
				if at <= before {
					t.Fatalf("%q in %s: %v does not rise", query, s.Path, s.At)
				}
				letters.WriteByte(s.Path[at])
				before = at
			}
			if !strings.EqualFold(letters.String(), query) {
				t.Errorf("%q in %s: the letters found are %q", query, s.Path, letters.String())
			}
		}
	}
}

// Among equal matches, the most recently used file comes first.
func TestSuggestionsByUse(t *testing.T) {
	isolateGit(t)
	x, _ := indexOf(t, map[string]string{"a/view.go": "", "b/view.go": "", "c/view.go": "", "deep/er/overview.go": ""})
	x.Use("b/view.go", "c/view.go", "gone.go")
	if diff := cmp.Diff(suggested(x, "view.go", 3), []string{"c/view.go", "b/view.go", "a/view.go"}); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(suggested(x, "", 2), []string{"c/view.go", "b/view.go"}); diff != "" {
		t.Error(diff)
	}
}

// A new file is suggested after a call of Changed.
func TestSuggestionsAreFresh(t *testing.T) {
	isolateGit(t)
	x, dir := indexOf(t, map[string]string{"old.go": ""})
	write(t, filepath.Join(dir, "sub", "new.go"), "")
	if err := os.Remove(filepath.Join(dir, "old.go")); err != nil {
		t.Fatal(err)
	}
	x.Changed()
	until(t, func() bool { return len(suggested(x, "new.go", 1)) == 1 && len(suggested(x, "old.go", 1)) == 0 })
}

// A closed index still answers. A canceled query returns nothing.
func TestSuggestionsAfterClose(t *testing.T) {
	isolateGit(t)
	x, _ := indexOf(t, map[string]string{"a.go": ""})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, _ := x.Suggest(ctx, "a", 5); got != nil {
		t.Errorf("got %v for a canceled query", got)
	}
	x.Close()
	x.Changed()
	if diff := cmp.Diff(suggested(x, "a", 5), []string{"a.go"}); diff != "" {
		t.Error(diff)
	}
}

// Long queries are rejected because their cost grows with their length.
func TestQueryLengthLimit(t *testing.T) {
	name := strings.Repeat("a", 200)
	x, _ := indexOf(t, map[string]string{name + "/" + name: ""})
	if got := suggested(x, strings.Repeat("a", 256), 8); len(got) != 1 {
		t.Errorf("256 letters: got %q, want the file", got)
	}
	if got := suggested(x, strings.Repeat("a", 257), 8); len(got) != 0 {
		t.Errorf("257 letters: got %q, want nothing", got)
	}
}
