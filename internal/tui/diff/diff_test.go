package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/ink/inktest"
)

func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.diff")
	if err != nil || len(files) == 0 {
		t.Fatalf("no diff to draw: %v", err)
	}
	for _, file := range files {
		unified, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := event.Diff{Path: "f.go", Unified: string(unified)}
		for look, st := range inktest.Looks {
			for _, width := range []int{40, 80, 120} {
				if look != "dark" && width != 80 {
					continue
				}
				name := fmt.Sprintf("%s.%d.%s.golden", strings.TrimSuffix(file, ".diff"), width, look)
				lines := Lines(st, d, width, 0)
				inktest.CheckLines(t, lines, width)
				inktest.CheckGolden(t, name, lines)
			}
		}
		for width := 2; width < 60; width += 3 {
			inktest.CheckLines(t, Lines(inktest.Looks["dark"], d, width, 0), width)
			for _, st := range []*ink.Styles{{Diffs: ink.Split}, ink.Look{Theme: "light", Diffs: ink.Split}.Styles()} {
				inktest.CheckLines(t, Lines(st, d, width, 0), width)
			}
			for limit := 1; limit < 8; limit++ {
				if n := len(Lines(inktest.Looks["dark"], d, width, limit)); n > limit {
					t.Errorf("%s at %d: %d lines, want at most %d", file, width, n, limit)
				}
			}
		}
	}
}

func TestLimit(t *testing.T) {
	d := event.Diff{Unified: "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"}
	for limit, want := range map[int][]string{
		0: {"1 │  a", "2 │- b", "2 │+ c", "3 │  d"},
		4: {"1 │  a", "2 │- b", "2 │+ c", "3 │  d"},
		3: {"1 │  a", "2 │- b", "… 2 more lines"},
		1: {"… 4 more lines"},
	} {
		if diff := cmp.Diff(inktest.Bare(Lines(inktest.Looks["nocolor"], d, 40, limit)), want); diff != "" {
			t.Errorf("limit %d (-got +want):\n%s", limit, diff)
		}
	}
}

// The byte order mark of a file is not part of its text. A change of the mark is shown.
func TestByteOrderMark(t *testing.T) {
	for unified, want := range map[string][]string{
		"@@ -1,2 +1,2 @@\n-\ufeffa\n+\ufeffb\n c\n": {"1 │- a", "1 │+ b", "2 │  c"},
		"@@ -1,2 +1,2 @@\n \ufeffa\n-b\n+c\n":       {"1 │  a", "2 │- b", "2 │+ c"},
		"@@ -1,2 +1 @@\n-\ufeffa\n-b\n+\ufeffb\n":   {"1 │- a", "2 │- b", "1 │+ b"},
		"@@ -1 +1 @@\n-\ufeffa\n+a\n":               {"1 │- \\ufeffa", "1 │+ a"},
		"@@ -3 +3 @@\n-\ufeffa\n+\ufeffb\n":         {"3 │- \\ufeffa", "3 │+ \\ufeffb"},
	} {
		if diff := cmp.Diff(inktest.Bare(Lines(inktest.Looks["nocolor"], event.Diff{Unified: unified}, 40, 0)), want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", unified, diff)
		}
	}
}

func TestStat(t *testing.T) {
	if got, want := Stat(event.Diff{Added: 3, Removed: 1}), "+3 −1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n\\ No newline at end of file\n", 40)
	f.Fuzz(func(t *testing.T, unified string, width int) {
		width = 2 + min(max(width, 0), 200)
		inktest.CheckLines(t, Lines(inktest.Looks["dark"], event.Diff{Unified: unified}, width, 0), width)
	})
}

// The split layout shows the same lines as the unified one: same numbers, same order,
// nothing truncated.
func TestSideBySide(t *testing.T) {
	d := event.Diff{Path: "a.txt", Unified: "@@ -7,5 +7,5 @@\n same\n-one old line\n-gone\n+one new line\n 日本語日本語日本語日本語日本語日本語\n+more\n\\ No newline at end of file\n"}
	want := []string{
		" 7   same                    │  7   same",
		" 8 - one old line            │  8 + one new line",
		" 9 - gone                    │",
		"10   日本語日本語日本語日本  │  9   日本語日本語日本語日本",
		"     語日本語日本語          │      語日本語日本語",
		"                             │ 10 + more",
		"                             │       No newline at end of",
		"                             │      file",
	}
	got := inktest.Bare(Lines(ink.Look{Diffs: ink.Split, NoColor: true}.Styles(), d, 60, 0))
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

// The automatic layout is split only in wide windows and for diffs with two sides.
func TestLayouts(t *testing.T) {
	both := event.Diff{Unified: "@@ -1 +1 @@\n-a\n+b\n"}
	added := event.Diff{Unified: "@@ -1 +1,2 @@\n a\n+b\n"}
	for _, c := range []struct {
		layout ink.DiffLayout
		diff   event.Diff
		width  int
		split  bool
	}{
		{"", both, 116, true}, {ink.Auto, both, 116, true}, {ink.Auto, both, 100, false}, {ink.Auto, added, 200, false},
		{ink.Unified, both, 200, false}, {ink.Split, both, 60, true}, {ink.Split, added, 60, true}, {ink.Split, both, 40, false},
	} {
		lines := inktest.Bare(Lines(ink.Look{Diffs: c.layout}.Styles(), c.diff, c.width, 0))
		if got := !strings.HasPrefix(lines[0], "1 │"); got != c.split {
			t.Errorf("%q at %d: split %v, want %v:\n%s", c.layout, c.width, got, c.split, strings.Join(lines, "\n"))
		}
	}
}

func BenchmarkLines(b *testing.B) {
	var u strings.Builder
	u.WriteString("@@ -1,10000 +1,10000 @@\n")
	for _, mark := range "-+" {
		for i := range 10_000 {
			fmt.Fprintf(&u, "%c\tif got := f(%d); got != \"%c\" { // line\n", mark, i, mark)
		}
	}
	d := event.Diff{Path: "a.go", Unified: u.String()}
	for _, limit := range []int{10, 2000, 0} {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			for b.Loop() {
				Lines(inktest.Looks["painted"], d, 100, limit)
			}
		})
	}
}
