package ink

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"fits", "one two", 7, []string{"one two"}},
		{"words", "one two three", 8, []string{"one two", "three"}},
		{"empty", "", 8, []string{""}},
		{"lines", "a\n\nb\n", 8, []string{"a", "", "b", ""}},
		{"long word", "abcdefgh ij", 3, []string{"abc", "def", "gh", "ij"}},
		{"indent", "    if x {", 6, []string{"    if", "x {"}},
		{"indent and long word", "  abcdefgh", 6, []string{"  abcd", "efgh"}},
		{"many blanks", "a      b", 3, []string{"a", "b"}},
		{"blanks at the end", "a  \nbc   ", 4, []string{"a", "bc"}},
		{"flags are whole", "use --no-verify now", 12, []string{"use", "--no-verify", "now"}},
		{"wide", "日本語です", 5, []string{"日本", "語で", "す"}},
		{"wide among words", "ab日本語", 5, []string{"ab日", "本語"}},
		{"closing stays", "日本語。です", 6, []string{"日本", "語。で", "す"}},
		{"opening goes", "日本「語", 6, []string{"日本", "「語"}},
		{"emoji", "👩\u200d👩\u200d👧👍🏽x", 4, []string{"👩\u200d👩\u200d👧👍🏽", "x"}},
		{"marks", "e\u0301e\u0301e\u0301", 2, []string{"e\u0301e\u0301", "e\u0301"}},
		{"too wide for any line", "日x", 1, []string{"…", "x"}},
		{"no room", "ab", 0, []string{"a", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(Wrap(test.in, test.width), test.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"👩\u200d👩\u200d👧x", 3, "👩\u200d👩\u200d👧x"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
	} {
		if got := Truncate(test.in, test.width); got != test.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", test.in, test.width, got, test.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("one two 日本語 👩\u200d👩", 5)
	f.Fuzz(func(t *testing.T, s string, width int) {
		s, width = Sanitize(s), 2+min(max(width, 0), 100)
		lines := Wrap(s, width)
		for _, line := range lines {
			if w := ansi.StringWidth(line); w > width {
				t.Fatalf("%d columns where there are %d: %q", w, width, line)
			}
		}
		bare := strings.NewReplacer(" ", "", "\n", "").Replace
		if got, want := bare(strings.Join(lines, "")), bare(s); got != want {
			t.Fatalf("text is lost: %q became %q", want, got)
		}
	})
}
