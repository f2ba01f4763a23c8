package search_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/search"
)

func TestMatchesThatSpanLines(t *testing.T) {
	isolateGit(t)
	files := map[string]string{
		"crlf": "import (\r\n\t\"fmt\"\r\n)\r\n",
		"lf":   "import (\n\t\"fmt\"\n)\nimport (\n\t\"os\"\n)",
		"one":  "import \"fmt\"\n",
	}
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{`import \(\n`, []string{"crlf:1:import (", "lf:1:import (", "lf:4:import ("}},
		{`import \([^)]*fmt[^)]*\)$`, []string{"crlf:1:import (\n\t\"fmt\"\n)", "lf:1:import (\n\t\"fmt\"\n)"}},
		{`(?s)import.*`, []string{"crlf:1:import (\n\t\"fmt\"\n)", "lf:1:import (\n\t\"fmt\"\n)\nimport (\n\t\"os\"\n)", "one:1:import \"fmt\""}},
		{`import.*fmt`, []string{"one:1:import \"fmt\""}},
		{`^\)\n^import`, []string{"lf:3:)\nimport ("}},
	} {
		if diff := cmp.Diff(lines(grepSpans(t, files, c.pattern)), c.want); diff != "" {
			t.Errorf("%s: got (-), want (+):\n%s", c.pattern, diff)
		}
	}
}

func TestMultilineLimits(t *testing.T) {
	isolateGit(t)
	r := grepSpans(t, map[string]string{
		"bin":    "a\x00\nb\n",
		"fits":   strings.Repeat("-\n", search.MaxMultilineBytes/2-2) + "a\nb",
		"large":  "a\nb" + strings.Repeat("-", search.MaxMultilineBytes),
		"length": "a\n" + strings.Repeat("=\n", 5000) + "b\n",
	}, `(?s)a.*b`)
	if r.Lines != 2 || r.InFiles != 3 || r.Large != 1 {
		t.Errorf("got %d matches in %d files, %d too large; want 2 in 3, and 1", r.Lines, r.InFiles, r.Large)
	}
	m := r.Files[2].Matches[0]
	if shown := strings.Count(m.Text, "\n") + 1; r.Files[2].Path != "length" || m.Left == 0 || shown+m.Left != 5002 {
		t.Errorf("of %s got %d lines shown and %d left, want some left and all of 5002 counted", r.Files[2].Path, shown, m.Left)
	}
}

func TestContextOfMatchesThatSpanLines(t *testing.T) {
	isolateGit(t)
	q, err := search.Compile(`b\nc`, search.Syntax{Multiline: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tree(t, map[string]string{"f": "a\nb\nc\nd\ne\n"}).Grep(t.Context(), ".", q, search.Options{Max: 1, Context: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Files[0].Matches[0]
	got := append(append(m.Before, m.Text), m.After...)
	if diff := cmp.Diff(got, []string{"a", "b\nc", "d"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestCountingStopsAfterPatience(t *testing.T) {
	isolateGit(t)
	files := map[string]string{}
	for i := range 200 {
		files[strings.Repeat("f", i+1)] = "hit\nhit\n"
	}
	tr := tree(t, files)
	if r := grep(t, tr, "hit", false, search.Options{Max: 5, Patience: time.Hour}); r.Cut || r.Lines != 400 {
		t.Errorf("got %d matches, cut: %v; want all of 400", r.Lines, r.Cut)
	}
	r := grep(t, tr, "hit", false, search.Options{Max: 5, Patience: time.Nanosecond})
	if !r.Cut || len(lines(r)) != 5 || r.Lines < 5 {
		t.Errorf("got %d of %d matches, cut: %v; want 5, and that there are more", len(lines(r)), r.Lines, r.Cut)
	}
}

func TestFoundIsCalledForEveryFile(t *testing.T) {
	isolateGit(t)
	var found []string
	r := grep(t, tree(t, map[string]string{"a": "hit\n", "b": "", "c": "x\nhit\n"}), "hit", false, search.Options{Max: 1, Found: func(m search.Matched) {
		found = append(found, m.Path)
	}})
	if len(found) != 2 || r.InFiles != 2 || found[0] == found[1] {
		t.Errorf("got %q, want both files that match", found)
	}
}

func TestFileTypes(t *testing.T) {
	for _, c := range []struct {
		kind, file string
		want       bool
	}{
		{"go", "a.go", true}, {"go", "go", false}, {"Python", "x.pyi", true}, {"docker", "Dockerfile.dev", true}, {"make", "Makefile", true},
		{"ts", "a.tsx", true}, {"ts", "a.js", false}, {"cpp", "a.h", true}, {"rs", "lib.rs", true}, {"ruby", "Gemfile", true},
	} {
		is := search.OfType(c.kind)
		if is == nil || is(c.file) != c.want {
			t.Errorf("%s, %s: want %v", c.kind, c.file, c.want)
		}
	}
	if search.OfType("nothing like it") != nil {
		t.Error("got a type that there is not")
	}
	for _, name := range search.FileTypes() {
		if search.OfType(name) == nil {
			t.Errorf("%s has no names of files", name)
		}
	}
}
