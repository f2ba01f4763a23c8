package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/loop"

	"github.com/google/go-cmp/cmp"
)

func TestDiffGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/diff/*.diff")
	if err != nil || len(files) == 0 {
		t.Fatalf("no diff to draw: %v", err)
	}
	for _, file := range files {
		unified, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := loop.Diff{Path: "f.go", Unified: string(unified)}
		for look, st := range looks {
			for _, width := range []int{40, 80, 120} {
				if look != "dark" && width != 80 {
					continue
				}
				name := fmt.Sprintf("%s.%d.%s.golden", strings.TrimSuffix(file, ".diff"), width, look)
				lines := DiffLines(st, d, width, 0)
				checkLines(t, lines, width)
				checkGolden(t, name, lines)
			}
		}
		for width := 2; width < 60; width++ {
			checkLines(t, DiffLines(looks["dark"], d, width, 0), width)
			for limit := 1; limit < 8; limit++ {
				if n := len(DiffLines(looks["dark"], d, width, limit)); n > limit {
					t.Errorf("%s at %d: %d lines where %d are allowed", file, width, n, limit)
				}
			}
		}
	}
}

func TestDiffLimit(t *testing.T) {
	d := loop.Diff{Unified: "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"}
	for limit, want := range map[int][]string{
		0: {"1 │  a", "2 │- b", "2 │+ c", "3 │  d"},
		4: {"1 │  a", "2 │- b", "2 │+ c", "3 │  d"},
		3: {"1 │  a", "2 │- b", "… 2 more lines"},
		1: {"… 4 more lines"},
	} {
		if diff := cmp.Diff(bare(DiffLines(looks["nocolor"], d, 40, limit)), want); diff != "" {
			t.Errorf("limit %d (-got +want):\n%s", limit, diff)
		}
	}
}

func TestDiffStat(t *testing.T) {
	if got, want := DiffStat(loop.Diff{Added: 3, Removed: 1}), "+3 −1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzDiffLines(f *testing.F) {
	f.Add("@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n\\ No newline at end of file\n", 40)
	f.Fuzz(func(t *testing.T, unified string, width int) {
		width = 2 + min(max(width, 0), 200)
		checkLines(t, DiffLines(looks["dark"], loop.Diff{Unified: unified}, width, 0), width)
	})
}
