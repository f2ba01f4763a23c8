package edit_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/edit"
)

func TestReplace(t *testing.T) {
	for name, c := range map[string]struct {
		before, old, new string
		all              bool
		want             edit.Result
	}{
		"one place":         {"a\nb\nc", "b", "B", false, edit.Result{After: []byte("a\nB\nc"), Lines: []int{2}}},
		"across lines":      {"a\nb\nc", "a\nb\n", "", false, edit.Result{After: []byte("c"), Lines: []int{1}}},
		"all":               {"x\nx x\n", "x", "yy", true, edit.Result{After: []byte("yy\nyy yy\n"), Lines: []int{1, 2, 2}}},
		"all, overlapping":  {"aaaaa", "aa", "b", true, edit.Result{After: []byte("bba"), Lines: []int{1, 1}}},
		"all, one":          {"a", "a", "b", true, edit.Result{After: []byte("b"), Lines: []int{1}}},
		"new holds old":     {"a", "a", "aa", true, edit.Result{After: []byte("aa"), Lines: []int{1}}},
		"an empty file":     {"", "", "a\n", false, edit.Result{After: []byte("a\n"), Lines: []int{1}}},
		"the whole file":    {"a\n", "a\n", "", false, edit.Result{After: []byte{}, Lines: []int{1}}},
		"no dollar is read": {"a", "a", "$1 \\1", false, edit.Result{After: []byte("$1 \\1"), Lines: []int{1}}},
	} {
		t.Run(name, func(t *testing.T) {
			before := []byte(c.before)
			got, err := edit.Replace(t.Context(), before, []byte(c.old), []byte(c.new), c.all)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
			if string(before) != c.before {
				t.Errorf("the content before was changed to %q", before)
			}
		})
	}
}

func TestReplaceErrors(t *testing.T) {
	for name, c := range map[string]struct {
		before, old, new string
		all              bool
		want             error
	}{
		"the same":         {"a", "a", "a", false, edit.ErrNoChange},
		"empty old":        {"a", "", "b", false, edit.ErrEmptyOld},
		"several places":   {"x\ny\nx\n", "x", "z", false, &edit.AmbiguousError{Lines: []int{1, 3}}},
		"overlapping ones": {"aaa", "aa", "b", false, &edit.AmbiguousError{Lines: []int{1, 1}}},
		"nothing like it":  {"a\nb\n", "zzzzzz", "b", true, &edit.NotFoundError{}},
		"an empty file":    {"", "a", "b", false, &edit.NotFoundError{}},
		"a misspelt word": {"one\nreturn nil, fmt.Errorf(msg)\n", "\nreturn nil, fmt.Errof(msg)\n", "x", false, &edit.NotFoundError{
			Near: edit.Near{First: 1, Last: 2, Diff: "-\n-return nil, fmt.Errof(msg)\n+one\n+return nil, fmt.Errorf(msg)\n"},
		}},
		"a line that is not there": {"a := 1\nb := 2\nc := 3\nd := 4\n", "b := 2\nbb := 2\nc := 3\nd := 4", "x", false, &edit.NotFoundError{
			Near: edit.Near{First: 2, Last: 4, Diff: " b := 2\n-bb := 2\n c := 3\n"},
		}},
		"another line, and other indentation": {"package a\n\nfunc C() {\n\tif true {\n\t\tx := 1\n\t\t_ = x\n\t}\n}\n", "if true {\n    x := 2\n    _ = x\n}", "x", false, &edit.NotFoundError{
			Near: edit.Near{First: 4, Last: 8, Diff: "-if true {\n+\tif true {\n-    x := 2\n+\t\tx := 1\n-    _ = x\n+\t\t_ = x\n+\t}\n }\n"},
		}},
		"other indentation that is not common": {"func a() {\n\tfoo()\n\t\tbar()\n}\n", "func a() {\n\tfoo()\n\tbar()\n}", "x", false, &edit.NotFoundError{
			Near: edit.Near{First: 1, Last: 4, Diff: " \tfoo()\n-\tbar()\n+\t\tbar()\n }\n", Indented: true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := edit.Replace(t.Context(), []byte(c.before), []byte(c.old), []byte(c.new), c.all)
			if errors.Is(err, c.want) {
				return
			}
			if diff := cmp.Diff(err, c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

// In a file of identical lines a text may fit at every line. The search gives up
// after a bounded number of steps.
func TestFilesOfIdenticalLines(t *testing.T) {
	const lines = 400_000
	before := []byte(strings.Repeat("x\n", lines))
	old := strings.Repeat(" x\nx\n", lines/4)
	began := time.Now()
	if _, err := edit.Replace(t.Context(), before, []byte(old), []byte("y\n"), false); !errors.Is(err, edit.ErrTooManySimilar) {
		t.Errorf("got %v, want %v", err, edit.ErrTooManySimilar)
	}
	hunk := edit.Hunk{Lines: []edit.Line{{Op: edit.Insert, Text: "y"}}}
	for range lines / 2 {
		hunk.Lines = append(hunk.Lines, edit.Line{Op: edit.Keep, Text: "x"})
	}
	if _, err := edit.ApplyHunks(t.Context(), before, []edit.Hunk{hunk}); !errors.Is(err, edit.ErrTooManySimilar) {
		t.Errorf("patch: got %v, want %v", err, edit.ErrTooManySimilar)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
