package hunk_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/hunk"
)

// diffOf returns the Diff of a change as the loop makes it.
func diffOf(before, after string) event.Diff {
	d := event.Diff{Path: "f"}
	d.Unified, d.Added, d.Removed = hunk.Unified(before, after)
	return d
}

// randomFile returns lines of few words, so that lines are alike.
func randomFile(r *rand.Rand) []string {
	lines := make([]string, r.IntN(60))
	for i := range lines {
		lines[i] = []string{"", "a", "b", "@@ -1 +1 @@", "-x", "+y", "\\ z", "ünï"}[r.IntN(8)]
	}
	return lines
}

// changed returns lines with a few of them changed, removed and added.
func changed(r *rand.Rand, lines []string) []string {
	out := slices.Clone(lines)
	for range r.IntN(6) {
		i := r.IntN(len(out) + 1)
		switch {
		case r.IntN(2) == 0:
			out = slices.Insert(out, i, fmt.Sprint("new ", r.IntN(5)))
		case i < len(out):
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}

// join makes a file of lines, with line ends and a last line as many files have them.
func join(r *rand.Rand, lines []string) string {
	text := strings.Join(lines, []string{"\n", "\r\n"}[r.IntN(2)])
	if r.IntN(3) > 0 && text != "" {
		text += "\n"
	}
	return text
}

// All hunks make the proposal, none leave the file, and some make what a diff of only
// these hunks makes.
func TestSomeHunks(t *testing.T) {
	several := 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 17))
		lines := randomFile(r)
		before, after := join(r, lines), join(r, changed(r, lines))
		if before == after {
			continue
		}
		d := diffOf(before, after)
		n := len(hunk.Of(d))
		var all, some []int
		for i := range n {
			all = append(all, i)
			if r.IntN(2) == 0 {
				some = append(some, i)
			}
		}
		if n > 1 {
			several++
		}
		apply := func(d event.Diff, to string, a event.HunkAnswer) string {
			got, err := hunk.Apply([]byte(before), []byte(to), d, a)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, d.Unified)
			}
			return string(got)
		}
		if got := apply(d, after, event.HunkAnswer{Accepted: all}); got != after {
			t.Fatalf("seed %d: all hunks give %q, want %q", seed, got, after)
		}
		if got := apply(d, after, event.HunkAnswer{}); got != before {
			t.Fatalf("seed %d: no hunks give %q, want %q", seed, got, before)
		}
		a := event.HunkAnswer{Accepted: some}
		got := apply(d, after, a)
		if want := patched(before, d.Unified, some); got != want {
			t.Fatalf("seed %d: hunks %v of\n%s\ngive %q, want %q", seed, some, d.Unified, got, want)
		}
		// The diff that the user sees before approving makes the same file.
		p := hunk.Pick(d, a)
		if p.Unified != "" {
			var picked []int
			for i := range hunk.Of(p) {
				picked = append(picked, i)
			}
			if again := apply(p, got, event.HunkAnswer{Accepted: picked}); again != got {
				t.Fatalf("seed %d: the diff\n%s\ngives %q, want %q", seed, p.Unified, again, got)
			}
		} else if got != before {
			t.Fatalf("seed %d: an empty diff for %q", seed, got)
		}
	}
	if several < 500 {
		t.Errorf("only %d changes had several hunks", several)
	}
}

// patched applies some hunks of a diff line by line, as patch does: the second way to
// compute the result.
func patched(before, unified string, some []int) string {
	old := strings.SplitAfter(before, "\n")
	var out strings.Builder
	at, n := 0, -1
	copyTo := func(to int) {
		for ; at < to; at++ {
			out.WriteString(old[at])
		}
	}
	lines := strings.SplitAfter(unified, "\n")
	for i, line := range lines {
		text := ""
		if line != "" {
			text = line[1:]
		}
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\\") {
			text = strings.TrimSuffix(text, "\n")
		}
		switch {
		case strings.HasPrefix(line, "@@"):
			n++
			var first, count int
			if c, _ := fmt.Sscanf(line, "@@ -%d,%d", &first, &count); c < 2 {
				count = 1
			}
			if count > 0 {
				first--
			}
			copyTo(first)
		case strings.HasPrefix(line, " "):
			copyTo(at + 1)
		case strings.HasPrefix(line, "-"):
			if slices.Contains(some, n) {
				at++
			} else {
				copyTo(at + 1)
			}
		case strings.HasPrefix(line, "+") && slices.Contains(some, n):
			out.WriteString(text)
		}
	}
	copyTo(len(old))
	return out.String()
}

// Git applies the diff of the accepted hunks to the same file.
func TestGitAppliesTheSame(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	var before, after []string
	for i := range 60 {
		before, after = append(before, fmt.Sprint("line ", i)), append(after, fmt.Sprint("line ", i))
	}
	after[5], after[30], after[59] = "five\r", "thirty\nand a half", "the end"
	was, will := strings.Join(before, "\n")+"\n", strings.Join(after, "\n")
	d := diffOf(was, will)
	for _, some := range [][]int{{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}} {
		a := event.HunkAnswer{Accepted: some}
		want, err := hunk.Apply([]byte(was), []byte(will), d, a)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		file, patch := filepath.Join(dir, "f"), filepath.Join(dir, "patch")
		if err := os.WriteFile(file, []byte(was), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(patch, []byte("--- a/f\n+++ b/f\n"+hunk.Pick(d, a).Unified), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(git, "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "patch")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git apply of hunks %v: %v: %s", some, err, out)
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("hunks %v (-git +got):\n%s", some, diff)
		}
	}
}

// A hunk that the user edited replaces its lines, and keeps the line ends of the file.
func TestEditedHunk(t *testing.T) {
	for name, c := range map[string]struct{ before, after, typed, want string }{
		"edited":               {"a\nb\nc\n", "a\nB\nc\n", "a\nX\nY\nc\n", "a\nX\nY\nc\n"},
		"editor writes LF":     {"a\r\nb\r\n", "a\r\nB\r\n", "a\nX\n", "a\r\nX\r\n"},
		"editor keeps CRLF":    {"a\r\nb\r\n", "a\r\nB\r\n", "a\r\nX\r\n", "a\r\nX\r\n"},
		"no newline at end":    {"a\nb", "a\nB", "a\nX\n", "a\nX"},
		"newline was dropped":  {"a\nb\n", "a\nB\n", "a\nX", "a\nX\n"},
		"byte order mark":      {"\ufeffa\nb\n", "\ufeffa\nB\n", "a\nX\n", "\ufeffa\nX\n"},
		"byte order mark kept": {"\ufeffa\nb\n", "\ufeffa\nB\n", "\ufeffa\nX\n", "\ufeffa\nX\n"},
		"empty is rejected":    {"a\nb\n", "a\nB\n", " \n", "a\nb\n"},
		"into an empty file":   {"", "a\n", "X\n", "X\n"},
	} {
		d := diffOf(c.before, c.after)
		h := hunk.Of(d)[0]
		if got, want := h.New(), c.after; got != want {
			t.Errorf("%s: the editor gets %q, want %q", name, got, want)
		}
		a := event.HunkAnswer{Edited: []event.EditedHunk{{Text: h.Fit(c.typed)}}}
		got, err := hunk.Apply([]byte(c.before), []byte(c.after), d, a)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
		shown, _, _ := hunk.Unified(c.before, c.want)
		if diff := cmp.Diff(hunk.Pick(d, a).Unified, shown); diff != "" {
			t.Errorf("%s: the diff of the edit (-got +want):\n%s", name, diff)
		}
	}
}

// Between other hunks, an edited hunk changes only its own lines, and the lines after it
// are not joined with it.
func TestEditedHunkBetweenOthers(t *testing.T) {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("line %d\n", i))
	}
	before := strings.Join(lines, "")
	lines[3], lines[20], lines[36] = "three\n", "twenty\n", ""
	d := diffOf(before, strings.Join(lines, ""))
	lines[20], lines[36] = "20\n21\n", "line 36\n"
	edited := strings.Join(lines[17:24], "")
	want := strings.Join(lines, "")
	for _, text := range []string{edited, strings.TrimSuffix(edited, "\n")} {
		a := event.HunkAnswer{Path: "f", Accepted: []int{0}, Edited: []event.EditedHunk{{Hunk: 1, Text: text}}}
		got, err := hunk.Apply([]byte(before), nil, d, a)
		if err != nil || string(got) != want {
			t.Errorf("got %q, %v", got, err)
		}
		if diff := cmp.Diff(hunk.Decision(d, a), event.HunkDecision{Path: "f", Accepted: []int{0}, Edited: []int{1}, Rejected: []int{2}}); diff != "" {
			t.Errorf("decision (-got +want):\n%s", diff)
		}
	}
	shown, added, removed := hunk.Unified(before, want)
	p := hunk.Pick(d, event.HunkAnswer{Accepted: []int{0}, Edited: []event.EditedHunk{{Hunk: 1, Text: edited}}})
	if p.Unified != shown || p.Added != added || p.Removed != removed {
		t.Errorf("the diff is\n%s\nwant\n%s", p.Unified, shown)
	}
}

// A file that is created, deleted or moved, or whose content is not shown, is one hunk.
func TestWholeFiles(t *testing.T) {
	big, _, _ := hunk.Unified(strings.Repeat("a\n", 20)+"x\n"+strings.Repeat("a\n", 20)+"y\n", strings.Repeat("a\n", 40))
	created, _, _ := hunk.Unified("", "a\nb\n")
	for name, c := range map[string]struct {
		d           event.Diff
		lines       int
		fixed       bool
		first, last int
		removed     bool
	}{
		"new":       {event.Diff{Created: true, Unified: created}, 2, false, 1, 2, false},
		"new empty": {event.Diff{Created: true}, 0, false, 0, 0, false},
		"deleted":   {event.Diff{Deleted: true, Unified: "@@ -1,2 +0,0 @@\n-a\n-b\n"}, 2, true, 1, 2, true},
		"moved":     {event.Diff{Moved: "g", Unified: big}, 12, true, 21, 42, true},
		"binary":    {event.Diff{Unified: "@@ binary content @@\n"}, 0, true, 0, 0, false},
		"new large": {event.Diff{Created: true, Unified: "@@ too large to show @@\n"}, 0, true, 0, 0, false},
	} {
		hunks := hunk.Of(c.d)
		if len(hunks) != 1 || !hunks[0].Whole || hunks[0].Fixed != c.fixed || len(hunks[0].Lines) != c.lines {
			t.Errorf("%s: %+v", name, hunks)
			continue
		}
		if first, last, removed := hunks[0].Range(); first != c.first || last != c.last || removed != c.removed {
			t.Errorf("%s: lines %d to %d, removed %t", name, first, last, removed)
		}
		before, after := []byte("before"), []byte("after")
		if got, err := hunk.Apply(before, after, c.d, event.HunkAnswer{Accepted: []int{0}}); err != nil || string(got) != "after" {
			t.Errorf("%s accepted: %q, %v", name, got, err)
		}
		if got, err := hunk.Apply(before, after, c.d, event.HunkAnswer{}); err != nil || string(got) != "before" {
			t.Errorf("%s rejected: %q, %v", name, got, err)
		}
		edit := event.HunkAnswer{Edited: []event.EditedHunk{{Text: "mine\n"}}}
		if got, err := hunk.Apply(before, after, c.d, edit); (err != nil) != c.fixed || err == nil && string(got) != "mine\n" {
			t.Errorf("%s edited: %q, %v", name, got, err)
		}
	}
}

// Answers that do not fit the change are errors.
func TestInvalidAnswers(t *testing.T) {
	d := diffOf("a\n", "b\n")
	for _, a := range []event.HunkAnswer{
		{Accepted: []int{1}}, {Accepted: []int{-1}}, {Accepted: []int{0, 0}},
		{Accepted: []int{0}, Edited: []event.EditedHunk{{Text: "x"}}}, {Edited: []event.EditedHunk{{Hunk: 3, Text: "x"}}},
	} {
		if got, err := hunk.Apply([]byte("a\n"), []byte("b\n"), d, a); err == nil {
			t.Errorf("%+v: got %q", a, got)
		}
	}
	if got, err := hunk.Apply([]byte("other\n"), []byte("b\n"), d, event.HunkAnswer{Accepted: []int{0}}); err == nil {
		t.Errorf("another file: got %q", got)
	}
}
