package markdown

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/ink"
	"agent/internal/tui/ink/inktest"
)

// Final lines of a streamed random text never change, and in the end it looks like
// the complete text.
func TestAnyTextStreams(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 11))
	for range 60 {
		text, width := document(rnd), 12+rnd.IntN(110)
		m := New(inktest.Looks["dark"])
		var frozen []string
		for rest := text; rest != ""; {
			n := min(1+rnd.IntN(60), len(rest))
			m.Append(rest[:n])
			rest = rest[n:]
			lines := m.Lines(width)
			inktest.CheckLines(t, lines, width)
			if len(lines) < len(frozen) || !slices.Equal(lines[:len(frozen)], frozen) {
				t.Fatalf("final lines changed in\n%s\n(-got +want):\n%s", text, cmp.Diff(lines[:min(len(lines), len(frozen))], frozen))
			}
			frozen = slices.Clone(lines[:m.live.frozen])
		}
		streamed := slices.Clone(m.Lines(width))
		m.Finish()
		want := drawFinished(inktest.Looks["dark"], text, width)
		if diff := cmp.Diff(m.Lines(width), want); diff != "" {
			t.Fatalf("finished, of\n%s\n(-got +want):\n%s", text, diff)
		}
		if diff := cmp.Diff(streamed, want); diff != "" && strings.HasSuffix(text, "\n\n") {
			t.Errorf("at width %d the end changed streamed lines of\n%s\n(-got +want):\n%s", width, text, diff)
		}
	}
}

// document returns a random text of independent blocks of all kinds.
func document(rnd *rand.Rand) string {
	words := func(n int) string {
		var w []string
		for range n {
			w = append(w, []string{"word", "`code`", "**bold**", "_soft_", "[link](https://example.org/a_b)", "https://a.b/c", "日本語", "👩‍👩‍👧", "e\u0301", "שלום",
				"a*b", "<b>", "&amp;", "~~gone~~", "x", "averyveryverylongwordwithoutanyspaceinit", "\\*", "1.", "-", "3 < 4"}[rnd.IntN(20)])
		}
		return strings.Join(w, " ")
	}
	var b strings.Builder
	for range 1 + rnd.IntN(8) {
		switch rnd.IntN(9) {
		case 0:
			b.WriteString(strings.Repeat("#", 1+rnd.IntN(4)) + " " + words(3))
		case 1:
			for range 1 + rnd.IntN(4) {
				b.WriteString("- " + words(8) + "\n  - " + words(4) + "\n    1. " + words(6) + "\n")
			}
		case 2:
			b.WriteString("```go\nfunc f() { // " + words(2) + "\n\n\treturn \"" + words(9) + "\"\n}\n```")
		case 3:
			b.WriteString("| " + words(2) + " | b |\n|---|:-:|\n| " + words(5) + " | " + words(2) + " |\n| x | |")
		case 4:
			b.WriteString("> " + words(12) + "\n>\n> - " + words(4))
		case 5:
			b.WriteString("---")
		case 6:
			b.WriteString("1. [x] " + words(4) + "\n2. [ ] " + words(14))
		default:
			b.WriteString("so " + words(5+rnd.IntN(40)))
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// Sanitizing piece by piece gives the same as sanitizing the complete text.
func FuzzSettled(f *testing.F) {
	f.Add("a👩\u200d👩e\u0301")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.NewReplacer("\t", " ", "\n", " ").Replace(s) // tabs and newlines never occur in held text
		n := settled(s)
		if got, want := ink.Sanitize(s[:n])+ink.Sanitize(s[n:]), ink.Sanitize(s); got != want {
			t.Fatalf("cut at %d: %q, whole: %q", n, got, want)
		}
	})
}
